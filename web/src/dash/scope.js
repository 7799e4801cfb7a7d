// The scope: every sample of one stream around a trigger, from the ring of the run, not from the decimated window. Each
// channel has its own gain in units per division; there are eight divisions.
import { chart, styleOf } from '../chart.js';
import { choice, element, write } from './dom.js';
import { CHANNEL_TYPE } from './channels.js';
import { labelOf } from './curves.js';
import { number, rate, unitFor } from '../format.js';

const TRIGGERS = [
  ['edge rise', 'rising edge'], ['edge fall', 'falling edge'], ['edge either', 'either edge'],
  ['level rise', 'at or above level'], ['level fall', 'below level'], ['limit', 'limit reached'], ['event', 'state changes'],
];
const PRE = [0.1, 0.25, 0.5, 0.75, 0.9], LENGTHS = [200, 500, 1000, 2000, 5000, 10000], MOST = 8;
const PREFIX = { G: 1e9, M: 1e6, k: 1e3, '': 1, m: 1e-3, 'µ': 1e-6, u: 1e-6, n: 1e-9 };

// "120 N", "12 mm", "0.5": in `unit`. NaN where it cannot be read.
export function parseQuantity(text, unit) {
  const m = /^\s*([-+−]?[\d.]+(?:e[-+]?\d+)?)\s*(\S*(?: m)?)\s*$/i.exec(text);

  if (!m)
    return NaN;
  const value = Number(m[1].replace('−', '-')), tail = unit && m[2].endsWith(unit) ? m[2].slice(0, -unit.length) : m[2];

  return m[2] === '' ? value : tail in PREFIX && m[2].endsWith(unit) ? value * PREFIX[tail] : NaN;
}

// 1, 2 or 5 times a power of ten, at least x.
function roundGain(x) {
  if (!(x > 0))
    return 1;
  const ten = 10 ** Math.floor(Math.log10(x));

  return [1, 2, 5, 10].map(f => f * ten).find(g => g >= 0.999 * x);
}

export class Scope {
  constructor(store, settings, changed) {
    this.store = store;
    this.changed = changed;
    this.request = 1;
    this.gains = new Map();
    this.state = element('em', { role: 'status' });
    this.build();
    this.load(settings);
    store.addEventListener('capture', e => this.take(e.detail));
    store.addEventListener('roll', e => this.roll(e.detail));
    store.addEventListener('scope', e => this.told(e.detail));
    store.addEventListener('link', () => this.told({ state: 'idle' }));
  }

  build() {
    const set = () => { this.read(); this.changed(); };

    this.channel = element('input', { 'aria-label': 'trigger channel', title: 'trigger channel', list: 'channel-names', spellcheck: 'false', onchange: set });
    this.trigger = choice('trigger', TRIGGERS, 'edge rise', set);
    this.level = element('input', { 'aria-label': 'trigger level', title: 'trigger level, with unit', class: 'level', spellcheck: 'false', onchange: set });
    this.pre = choice('pre-trigger', PRE.map(p => [p, `pre ${100 * p} %`]), 0.25, set);
    this.length = choice('samples', LENGTHS.map(n => [n, `${number(n)} samples`]), 1000, set);
    this.single = element('button', { type: 'button', class: 'primary', onclick: () => this.arm('single') }, 'Single');
    this.normal = element('button', { type: 'button', title: 'arms itself again after every capture', onclick: () => this.arm('normal') }, 'Repeat');
    this.rolling = element('button', { type: 'button', title: 'no trigger: every sample as it comes', onclick: () => this.arm('roll') }, 'Roll');
    this.stop = element('button', { type: 'button', onclick: () => this.disarm() }, 'Stop');
    this.chips = element('div', { class: 'chips', role: 'group', 'aria-label': 'channels of the scope' });
    this.bar = element('div', { class: 'scopebar', role: 'group', 'aria-label': 'trigger' }, this.channel, this.trigger, this.level, this.pre, this.length,
      this.single, this.normal, this.rolling, this.stop);
    this.hint = element('p', { class: 'hint' }, 'Choose a trigger and press Single, or Roll to see every sample as it comes.');
    this.plot = element('div', { class: 'scope-plot' }, this.hint);
    this.body = element('section', { class: 'card scope', 'aria-label': 'scope', ondragover: e => {
      if (e.dataTransfer.types.includes(CHANNEL_TYPE))
        e.preventDefault();
    }, ondrop: e => {
      const key = e.dataTransfer.getData(CHANNEL_TYPE);

      if (key) {
        e.preventDefault();
        this.add(key);
      }
    } }, element('h2', {}, element('span', {}, 'Scope'), this.state), this.bar, this.chips, this.plot);
  }

  // At first: the fastest stream, the measured force and displacement of the first actuator.
  defaults() {
    const { channels, about } = this.store, kinds = ['measured force', 'measured displacement', 'displacement', 'velocity'];
    const fastest = about.streams.reduce((best, s, i) => (channels.some(c => c.stream === i && kinds.includes(c.kind)) ? i : best), 0);
    const found = kinds.map(kind => channels.find(c => c.stream === fastest && c.kind === kind)).filter(Boolean);

    return { channels: found.slice(0, 2).map(c => c.key), trigger: 'edge rise', level: 0, pre: 0.25, length: 1000 };
  }

  load(settings) {
    const s = { ...this.defaults(), ...settings }, known = (Array.isArray(s.channels) ? s.channels : []).map(k => this.store.find(k)).filter(Boolean);

    this.list = known.filter(c => c.stream === known[0].stream).slice(0, MOST);
    this.on = this.store.find(s.on) ?? this.list[0];
    this.channel.value = this.on?.name ?? '';
    this.trigger.value = TRIGGERS.some(t => t[0] === s.trigger) ? s.trigger : 'edge rise';
    this.pre.value = s.pre;
    this.length.value = s.length;
    this.showLevel(Number(s.level) || 0);
    this.show();
  }

  get settings() {
    return { channels: this.list.map(c => c.key), on: this.on?.key, trigger: this.trigger.value, level: this.levelValue,
      pre: Number(this.pre.value), length: Number(this.length.value) };
  }

  showLevel(value) {
    const scale = unitFor(this.on?.unit ?? '', Math.abs(value));

    this.levelValue = value;
    this.level.value = `${number(value * scale.factor, 4).replace('−', '-')}${scale.unit ? ` ${scale.unit}` : ''}`;
  }

  // The fields, after the user has changed one.
  read() {
    const stream = this.list[0]?.stream, word = this.channel.value.trim();
    const found = this.store.channels.find(c => c.stream === stream && (c.name === word || c.key === word)) ?? this.store.find(word);
    const level = parseQuantity(this.level.value, (found ?? this.on)?.unit ?? '');

    this.channel.setAttribute('aria-invalid', String(!found));
    this.level.setAttribute('aria-invalid', String(Number.isNaN(level)));
    if (found)
      this.on = found;
    if (found && found.stream !== stream)
      this.list = [found];
    else if (found && !this.list.includes(found))
      this.list = [...this.list.slice(0, MOST - 1), found];
    if (!Number.isNaN(level))
      this.showLevel(level);
    this.level.disabled = ['limit', 'event'].includes(this.trigger.value);
    this.show();
  }

  add(key) {
    const channel = this.store.find(key);

    if (this.list.length && channel.stream !== this.list[0].stream)
      this.list = [];
    if (!this.list.includes(channel))
      this.list = [...this.list.slice(-MOST + 1), channel];
    if (!this.list.includes(this.on))
      this.on = channel;
    this.channel.value = this.on.name;
    this.show();
    this.changed();
  }

  // Chips with gains, and an empty chart.
  show() {
    this.chart?.destroy();
    this.data = null;
    this.hint.hidden = false;
    this.chips.replaceChildren(...this.list.map((c, i) => this.chip(c, i)));
    this.chart = chart(this.plot, { title: '', unit: '', height: 'fill', series: this.series(), x: { label: 'time', unit: 's' },
      y: { min: -4, max: 4, bare: true }, flags: [{ at: 0, label: 'trigger' }] });
    if (!this.active)
      this.told({ state: 'idle' });
  }

  series() {
    return this.list.map((c, i) => ({ label: labelOf(c), raw: c.name, index: i, gain: this.gain(c), unit: c.unit }));
  }

  gain(channel) {
    return this.gains.get(channel.key) ?? 1;
  }

  chip(channel, i) {
    const scale = unitFor(channel.unit, this.gain(channel)), value = element('b', {}, this.gains.has(channel.key) ? `${number(this.gain(channel) * scale.factor, 2)} ${scale.unit}/div` : 'auto');
    const step = up => {
      const g = this.gain(channel), ten = 10 ** Math.floor(Math.log10(g) + 1e-9), lead = Math.round(g / ten);
      const next = up ? { 1: 2, 2: 5, 5: 10 }[lead] ?? 2 * lead : { 1: 0.5, 2: 1, 5: 2 }[lead] ?? lead / 2;

      this.gains.set(channel.key, next * ten);
      this.regain();
    };
    const name = labelOf(channel), small = (text, label, onclick) => element('button', { type: 'button', 'aria-label': `${label} ${name}`, title: label, onclick }, text);

    const dot = element('i');

    dot.style.background = `var(--${styleOf({ index: i }).colour})`;
    return element('span', { class: 'chip', title: channel.name }, dot, element('span', {}, name), small('−', 'less gain for', () => step(true)), value,
      small('+', 'more gain for', () => step(false)),
      small('×', 'remove', () => { this.list = this.list.filter(c => c !== channel); this.show(); this.changed(); }));
  }

  // Draws again after a gain has changed.
  regain() {
    this.chips.replaceChildren(...this.list.map((c, i) => this.chip(c, i)));
    this.chart.o.series.forEach((s, i) => { s.gain = this.gain(this.list[i]); });
    this.draw();
  }

  // Gains that show the whole capture, for channels whose gain was not chosen.
  autoGain(columns) {
    let changed = false;

    this.list.forEach((c, i) => {
      let peak = 0;

      for (const v of columns[i] ?? [])
        if (Math.abs(v) > peak)
          peak = Math.abs(v);
      if (!this.gains.has(c.key) && peak > 0) {
        this.gains.set(c.key, roundGain(peak / 3.8));
        changed = true;
      }
    });
    return changed;
  }

  arm(mode) {
    const s = this.settings, [kind, slope] = s.trigger.split(' ');

    if (!this.list.length)
      return;
    this.request++;
    this.data = null;
    this.mode = mode;
    this.gains.clear();
    this.store.link.send({ scope: { request: this.request, channels: this.list.map(c => c.id), mode, pre: Math.round(s.pre * s.length), length: s.length,
      ...(mode === 'roll' ? {} : { trigger: { kind, ...(kind === 'event' ? {} : { channel: this.on.id }),
        ...(kind === 'edge' || kind === 'level' ? { level: s.level, slope } : {}) } }) } });
  }

  disarm() {
    this.store.link.send({ scope: null });
    this.told({ state: 'idle' });
  }

  told({ state }) {
    const stream = this.store.about.streams[this.list[0]?.stream ?? 0], often = rate(1 / (stream?.period_s || 1));
    const words = { armed: 'armed, waiting for the trigger', captured: 'captured', idle: 'ready', rolling: 'rolling' }[state] ?? state;

    this.active = state === 'armed' || state === 'rolling';
    this.body.dataset.state = state;
    write(this.state, `every sample, ${often} per second${this.data ? ` · time in ${this.chart.xUnit?.unit}` : ''} · ${words}`);
    this.stop.disabled = !this.active;
  }

  // A capture: columns by channel in the order of this.list.
  columns(frame) {
    const at = new Map([...frame.ids].map((id, i) => [id, frame.columns[i].lo]));

    return this.list.map(c => at.get(c.id) ?? new Float64Array(frame.t.length).fill(NaN));
  }

  take(frame) {
    if (frame.request && frame.request !== this.request)
      return;
    const columns = this.columns(frame), zero = frame.t[frame.trigger] ?? 0;

    this.data = { t: Float64Array.from(frame.t, t => t - zero), columns, flags: [{ at: 0, label: 'trigger' }] };
    this.fresh();
    if (this.mode === 'single')
      this.told({ state: 'captured' });
  }

  roll(frame) {
    const most = Number(this.length.value), columns = this.columns(frame), old = this.data;
    const join = (a, b) => {
      const all = new Float64Array(Math.min(a.length + b.length, most)), fromB = Math.min(b.length, all.length);

      all.set(a.subarray(a.length - (all.length - fromB)), 0);
      all.set(b.subarray(b.length - fromB), all.length - fromB);
      return all;
    };

    this.data = old ? { t: join(old.t, frame.t), columns: columns.map((c, i) => join(old.columns[i], c)), flags: [] }
      : { t: frame.t, columns, flags: [] };
    this.fresh();
  }

  // New samples: drawn with the next picture.
  fresh() {
    this.dirty = true;
    if (this.autoGain(this.data.columns))
      this.regain();
  }

  draw() {
    if (!this.data)
      return;
    this.hint.hidden = true;
    this.chart.o.flags = this.data.flags;
    this.chart.set([this.data.t, ...this.data.columns]);
    this.told({ state: this.body.dataset.state });
    this.dirty = false;
  }

  update() {
    if (this.dirty)
      this.draw();
  }

  // A run that has ended has no samples to come.
  enable(on) {
    for (const button of [this.single, this.normal, this.rolling])
      button.disabled = !on;
  }

  close() {
    this.chart.destroy();
  }
}
