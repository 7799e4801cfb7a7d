// The data of a report: columns in base64, decoded when they are first drawn.

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}
export const floats = text => new Float32Array(bytes(text));
export const doubles = text => new Float64Array(bytes(text));

/* A run with its channels by stream, and helpers to find them. */
export class Run {
  constructor(raw, index) {
    Object.assign(this, raw);
    this.index = index;
    this.channels = [];
    for (const s of this.streams)
      for (const c of s.channels) this.channels.push(Object.assign(c, { stream: s, peak: Math.max(Math.abs(c.min ?? 0), Math.abs(c.max ?? 0)) }));
    this.last = Math.max(0, ...this.streams.filter(s => s.name === 'system').map(s => this.time(s).at(-1)));
  }
  stream(name) { return this.streams.find(s => s.name === name); }
  /* Of a stream, or of a channel: one of many may have fewer points. */
  time(of) {
    const stream = of.stream || of, kept = of.coarse && of.stream ? stream.coarse : stream;
    return kept.times ??= doubles(kept.time);
  }
  stretch(channel) { return (channel.coarse ? channel.stream.coarse : channel.stream).stretch; }
  /* The values of a channel at the times of another. */
  beside(channel, other) {
    const own = this.time(channel), times = this.time(other);
    return own === times ? this.values(channel) : resample(own, this.values(channel), times);
  }
  values(channel) { return channel.values ??= floats(channel.data); }
  all(stream, ...kinds) { return this.channels.filter(c => c.stream.name === stream && kinds.includes(c.kind)); }
  find(stream, kind, owner) { return this.channels.find(c => c.stream.name === stream && c.kind === kind && c.owner === owner); }
}

export function load() {
  const { runs } = JSON.parse(document.getElementById('data').textContent);
  return runs.map((r, i) => new Run(r, i));
}

/* y of (x, y) at the times t; NaN outside. */
export function resample(x, y, t) {
  const out = new Float64Array(t.length);
  let k = 0;
  for (let i = 0; i < t.length; i++) {
    while (k + 2 < x.length && x[k + 1] < t[i]) k++;
    const w = (t[i] - x[k]) / (x[k + 1] - x[k]);
    out[i] = t[i] < x[0] - 1e-9 || t[i] > x.at(-1) + 1e-9 || !(x.length > 1) ? NaN : y[k] + w * (y[k + 1] - y[k]);
  }
  return out;
}
