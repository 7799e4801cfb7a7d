// What the page knows of a run: its description, its status, its events, and the window of samples of the channels that
// are in use. Everything that is shown is read from here.
import { Link, get } from './link.js';

const POINTS = 4096; // columns that the window of a stream may have
const STALE_S = 2;   // without a message

// The columns of one stream: times, and the least and largest value of each channel. A few windows long, trimmed by half.
class Block {
  constructor(frame) {
    this.rows = frame.rows;
    this.length = 0;
    this.size = Math.max(2 * frame.t.length, 1024);
    this.t = new Float64Array(this.size);
    this.channels = new Map([...frame.ids].map(id => [id, {
      lo: new Float64Array(this.size), hi: frame.rows > 1 ? new Float64Array(this.size) : null,
    }]));
    this.append(frame);
  }

  arrays() {
    return [this.t, ...[...this.channels.values()].flatMap(c => (c.hi ? [c.lo, c.hi] : [c.lo]))];
  }

  grow(need) {
    const size = Math.max(2 * this.size, need), larger = a => {
      const b = new Float64Array(size);

      b.set(a.subarray(0, this.length));
      return b;
    };

    this.t = larger(this.t);
    for (const c of this.channels.values()) {
      c.lo = larger(c.lo);
      c.hi = c.hi && larger(c.hi);
    }
    this.size = size;
  }

  append(frame) {
    const n = frame.t.length;

    if (this.length + n > this.size)
      this.grow(this.length + n);
    this.t.set(frame.t, this.length);
    frame.ids.forEach((id, i) => {
      const c = this.channels.get(id);

      c?.lo.set(frame.columns[i].lo, this.length);
      c?.hi?.set(frame.columns[i].hi, this.length);
    });
    this.length += n;
  }

  // Drops what is older than `from`.
  trim(from) {
    const first = this.find(from);

    if (first < this.size / 4)
      return;
    for (const a of this.arrays())
      a.copyWithin(0, first, this.length);
    this.length -= first;
  }

  // The first column at or after a time.
  find(time) {
    let low = 0, high = this.length;

    while (low < high) {
      const middle = (low + high) >> 1;

      if (this.t[middle] < time)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  get end() {
    return this.length ? this.t[this.length - 1] : 0;
  }
}

export class Store extends EventTarget {
  constructor(id) {
    super();
    this.id = id;
    this.windowLength = 10;
    this.blocks = [];
    this.events = [];
    this.users = new Map();
    this.asked = new Map();
    this.requests = 0;
    this.connected = false;
    this.heard = 0;
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  async open() {
    this.about = await get(`/api/run?run=${encodeURIComponent(this.id)}`);
    this.channels = this.about.channels;
    this.byKey = new Map(this.channels.map(c => [c.key, c]));
    this.byName = new Map([...this.channels].reverse().map(c => [c.name, c]));
    this.link = new Link(this.id, {
      open: () => {
        this.connected = true;
        this.heard = performance.now();
        this.sent = '';
        this.subscribe();
        this.tell('link');
      },
      closed: () => {
        this.connected = false;
        this.tell('link');
      },
      message: (name, content) => this.message(name, content),
      frame: frame => this.frame(frame),
    });
  }

  close() {
    this.link?.close();
  }

  // A channel by its key or its name.
  find(word) {
    return this.byKey.get(word) ?? this.byName.get(word);
  }

  message(name, content) {
    this.heard = performance.now();
    if (name === 'hello') {
      this.hello = content;
      this.events = [];
    } else if (name === 'status') {
      this.status = content;
    } else if (name === 'events') {
      this.events.push(...content);
    }
    this.tell(name, content);
  }

  frame(frame) {
    this.heard = performance.now();
    if (frame.kind === 'window') {
      this.blocks[frame.stream] = new Block(frame);
    } else if (frame.kind === 'append') {
      const block = this.blocks[frame.stream];

      block?.append(frame);
      block?.trim(block.end - 1.2 * this.windowLength);
    } else if (frame.kind === 'history') {
      this.asked.get(frame.request)?.(new Block(frame));
      this.asked.delete(frame.request);
    } else {
      this.tell(frame.kind, frame);
    }
  }

  // Seconds for which nothing was heard, though something should have been.
  get silence() {
    return (performance.now() - this.heard) / 1000;
  }

  get isStale() {
    return !this.connected || this.silence > STALE_S;
  }

  // `user` needs these channels from now on; an empty list: nothing any more.
  use(user, channels) {
    this.users.set(user, channels.map(c => c.id));
    clearTimeout(this.later);
    this.later = setTimeout(() => this.subscribe(), 50);
  }

  subscribe() {
    const channels = [...new Set([...this.users.values()].flat())].sort((a, b) => a - b);
    const message = { subscribe: { channels, window_s: this.windowLength, points: POINTS } }, text = JSON.stringify(message);

    if (text !== this.sent && this.link.send(message))
      this.sent = text;
  }

  setWindow(seconds) {
    this.windowLength = seconds;
    this.subscribe();
  }

  // The present difference between the clock of a stream and that of the test.
  shift(stream) {
    return this.about.streams[stream].clock === 'station' && this.status
      ? (this.status.tick_time_s ?? 0) - (this.status.time_s ?? 0) : 0;
  }

  // Asks for a part of the past; resolves to its block.
  history(channels, from_s, to_s) {
    const request = ++this.requests;

    this.link.send({ history: { request, channels: channels.map(c => c.id), from_s, to_s, points: POINTS } });
    return new Promise(resolve => this.asked.set(request, resolve));
  }

  newest(channel) {
    const block = this.blocks[channel.stream], c = block?.channels.get(channel.id);

    return c && block.length ? c.lo[block.length - 1] : undefined;
  }
}
