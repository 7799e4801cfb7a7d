// The connection to the server: requests, and a socket that connects again by itself. docs/dashboard-protocol.md.

const KINDS = ['', 'window', 'append', 'history', 'capture', 'roll'];
const MAGIC = 0x31464b59; // "YKF1"
const FIRST_PAUSE = 300, LONGEST_PAUSE = 4000; // between two attempts [ms]

// A binary frame: { kind, stream, request, rows, trigger, ids, t, columns: [{ lo, hi }] }; null where it is none.
export function readFrame(buffer) {
  if (buffer.byteLength < 32)
    return null;
  const head = new Uint32Array(buffer, 0, 8), [, kind, stream, request, C, N, rows, trigger] = head;
  const start = 32 + 8 * Math.ceil(C / 2), parts = rows > 1 ? 2 : 1;

  if (head[0] !== MAGIC || buffer.byteLength < start + 8 * N * (1 + parts * C))
    return null;
  const at = i => new Float64Array(buffer, start + 8 * N * i, N);
  const columns = Array.from({ length: C }, (_, c) => {
    const lo = at(1 + parts * c);

    return { lo, hi: rows > 1 ? at(2 + parts * c) : lo };
  });

  return { kind: KINDS[kind] ?? '', stream, request, rows, trigger, ids: new Uint32Array(buffer, 32, C), t: at(0), columns };
}

async function ask(path, options) {
  const answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...options }).catch(() => {
    throw Object.assign(new Error('the server does not answer'), { unreachable: true });
  });
  const body = await answer.json().catch(() => ({}));

  if (!answer.ok)
    throw Object.assign(new Error(body.error ?? `the server answers ${answer.status}`), { status: answer.status });
  return body;
}

export const get = path => ask(path);
export const post = (path, body) => ask(path, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
});

export class Link {
  // `on`: { open(), closed(seconds to the next attempt), message(name, content), frame(frame) }
  constructor(run, on) {
    this.run = run;
    this.on = on;
    this.pause = FIRST_PAUSE;
    this.request = 0;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = this.socket = new WebSocket(`${scheme}//${location.host}/ws?run=${encodeURIComponent(this.run)}`);

    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.on.open();
    };
    socket.onmessage = e => this.take(e.data);
    socket.onclose = () => {
      if (this.over)
        return;
      this.on.closed();
      this.timer = setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
    };
  }

  take(data) {
    if (typeof data !== 'string') {
      const frame = readFrame(data);

      if (frame)
        this.on.frame(frame);
      return;
    }
    for (const [name, content] of Object.entries(JSON.parse(data)))
      this.on.message(name, content);
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (this.isOpen)
      this.socket.send(JSON.stringify(message));
    return this.isOpen;
  }

  close() {
    this.over = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
