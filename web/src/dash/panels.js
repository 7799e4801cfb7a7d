// The plots of a run. A panel is { kind: 'time' | 'loop' | 'spectrum', curves: [text], x: text }; curves.js reads the texts.
import { chart } from '../chart.js';
import { choice, element, write } from './dom.js';
import { CHANNEL_TYPE } from './channels.js';
import { curveOf, envelope, middles, times } from './curves.js';
import { ExpressionError } from './expression.js';
import { spectrum } from './fft.js';

const QUANTITY = { m: 'Displacement', N: 'Force', 'm/s': 'Velocity', 'm/s2': 'Acceleration', J: 'Energy', s: 'Delay',
  rad: 'Rotation', 'N m': 'Moment', 'rad/s': 'Angular velocity',
  'rad/s2': 'Angular acceleration', W: 'Power' };
const KINDS = [['time', 'over time'], ['loop', 'as a loop (x, y)'], ['spectrum', 'as a spectrum']];

class Panel {
  constructor(owner, spec) {
    this.owner = owner;
    this.store = owner.store;
    this.spec = spec;
    this.problem = element('p', { class: 'problem bad' });
    this.body = element('div', { class: 'card panel', ondragover: e => this.over(e), ondragleave: () => this.body.classList.remove('target'),
      ondrop: e => this.drop(e) });
    this.build();
  }

  // Reads the texts and makes the chart.
  build() {
    const { spec, store } = this;

    this.chart?.destroy();
    this.curves = [];
    write(this.problem, '');
    this.body.classList.toggle('wide', Boolean(spec.wide));
    this.problem.remove();
    try {
      this.curves = spec.curves.map(text => curveOf(store, text));
      this.x = spec.kind === 'loop' ? curveOf(store, spec.x) : null;
      this.agree();
    } catch (error) {
      write(this.problem, error.message);
      this.body.append(this.problem);
    }
    const used = this.x ? [...this.curves, this.x] : this.curves, unit = this.curves[0]?.unit ?? '';

    store.use(this, used.flatMap(c => c.channels));
    this.chart = chart(this.body, this.options(unit));
    const tools = this.chart.figure.querySelector('.tools'), name = this.title();

    tools.prepend(element('button', { type: 'button', 'aria-label': `edit ${name}`, onclick: () => this.edit() }, 'Edit'));
    tools.append(element('button', { type: 'button', 'aria-label': `close ${name}`, title: 'close', onclick: () => this.owner.remove(this) }, '×'));
  }

  // One plot has one unit and one rate.
  agree() {
    const [first] = this.curves, all = this.x ? [...this.curves, this.x] : this.curves, units = [...new Set(this.curves.map(c => c.unit || 'none'))];

    if (units.length > 1)
      throw new ExpressionError(`One plot shows one unit; these curves have ${units.join(', ')}`);
    if (all.some(c => c.stream !== first.stream))
      throw new ExpressionError('The curves of a plot must come at the same rate');
  }

  title() {
    const { spec } = this, first = this.curves[0];
    const word = c => c?.evaluate ? c.label[0].toUpperCase() + c.label.slice(1) : QUANTITY[c?.unit] ?? c?.label ?? 'Plot';

    if (spec.title)
      return spec.title;
    if (spec.kind === 'spectrum')
      return `Spectrum, ${word(first).toLowerCase()}`;
    return spec.kind === 'loop' ? `Loop, ${word(first).toLowerCase()}` : word(first);
  }

  options(unit) {
    const { spec } = this, roles = new Map();
    const series = this.curves.map((c, i) => {
      const taken = roles.get(c.role);

      roles.set(c.role, true);
      return { label: c.label, raw: c.raw, role: taken ? 'other' : c.role, index: i };
    });
    const common = { title: this.title(), unit, series, height: 'fill' };

    if (spec.kind === 'loop')
      return { ...common, kind: 'xy', x: { label: (QUANTITY[this.x?.unit] ?? this.x?.label ?? '').toLowerCase(), unit: this.x?.unit } };
    if (spec.kind === 'spectrum')
      return { ...common, x: { label: 'frequency', unit: 'Hz' }, y: { zero: true }, live: false };
    return { ...common, link: 'time', live: true };
  }

  block() {
    return this.curves.length ? this.store.blocks[this.curves[0].stream] : null;
  }

  // Draws the newest window.
  update() {
    const block = this.block(), { store } = this;

    if (!block?.length || this.problem.textContent)
      return;
    if (this.chart.zoomed) {
      this.refine(block);
      return;
    }
    const live = store.about.live && store.status?.live !== false;
    const end = block.end, from = live ? block.find(end - store.windowLength) : 0, to = block.length;

    if (this.drawn === end && this.drawnLength === to)
      return;
    this.drawn = end;
    this.drawnLength = to;
    this.range = null;
    ({ time: () => this.drawTime(block, from, to, live), loop: () => this.drawLoop(block, from, to),
      spectrum: () => this.drawSpectrum(block, from, to) })[this.spec.kind]();
  }

  // What the user has zoomed into stays, with as many samples as the server has.
  async refine(block) {
    const { min, max } = this.chart.u.scales.x, range = `${min} ${max}`;

    if (this.spec.kind !== 'time' || range === this.range)
      return;
    this.range = range;
    this.drawn = undefined;
    this.chart.note('held · double click shows the newest');
    if (block.rows === 1)
      return;
    const { stream } = this.curves[0], shift = this.store.shift(stream);
    const finer = await this.store.history(this.curves.flatMap(c => c.channels), min + shift, max + shift);

    if (finer?.length > 1 && this.chart.zoomed && this.range === range)
      this.chart.set([times(finer, 0, finer.length, shift), ...this.curves.map(c => envelope(c, finer, 0, finer.length))]);
  }

  drawTime(block, from, to, live) {
    const shift = this.store.shift(this.curves[0].stream), end = block.end - shift;

    const first = Math.min(block.t[from] - shift, end - 1e-9);

    this.chart.shown = live ? { min: Math.max(end - this.store.windowLength, first), max: end } : null;
    this.chart.set([times(block, from, to, shift), ...this.curves.map(c => envelope(c, block, from, to))]);
    this.chart.note(`${live ? `last ${this.store.windowLength} s` : 'whole run'}${this.chart.xUnit.unit === 's' ? '' : ` · time in ${this.chart.xUnit.unit}`}`);
  }

  drawLoop(block, from, to) {
    const x = middles(this.x, block, from, to);

    this.chart.set(this.curves.map(c => [x, middles(c, block, from, to)]));
  }

  drawSpectrum(block, from, to) {
    const period = this.store.about.streams[this.curves[0].stream].period_s * block.rows;

    if (to - from < 16)
      return;
    const results = this.curves.map(c => spectrum(middles(c, block, from, to), period));
    const top = results[0].frequency.length, shown = Math.max(Math.ceil(top * Math.min(1, 50 * 2 * period)), 8);

    this.chart.set([results[0].frequency.subarray(0, shown), ...results.map(r => r.amplitude.subarray(0, shown))]);
    this.chart.note('amplitude, Hann window');
  }

  over(event) {
    if (!event.dataTransfer.types.includes(CHANNEL_TYPE))
      return;
    event.preventDefault();
    this.body.classList.add('target');
  }

  drop(event) {
    const key = event.dataTransfer.getData(CHANNEL_TYPE);

    this.body.classList.remove('target');
    if (!key)
      return;
    event.preventDefault();
    event.stopPropagation();
    this.add(key);
  }

  // Adds a channel; one of another unit or rate gets a panel of its own.
  add(key) {
    const channel = this.store.find(key), first = this.curves[0];

    if (first && (channel.unit !== first.unit || channel.stream !== first.stream)) {
      this.owner.add({ kind: 'time', curves: [key] });
      return;
    }
    if (!this.spec.curves.includes(key))
      this.change({ ...this.spec, title: undefined, curves: [...this.spec.curves, key] });
  }

  change(spec) {
    this.spec = spec;
    this.drawn = undefined;
    this.build();
    this.owner.arrange();
    this.owner.changed();
  }

  edit() {
    const { spec } = this;
    const curves = element('textarea', { id: 'edit-curves', rows: 4, spellcheck: 'false' });
    const x = element('input', { id: 'edit-x', list: 'channel-names', value: spec.x ?? spec.curves[0] ?? '', spellcheck: 'false' });
    const wide = element('input', { type: 'checkbox', id: 'edit-wide' });
    const kind = choice('draw the curves', KINDS, spec.kind, () => { rowX.hidden = kind.value !== 'loop'; });
    const rowX = element('div', { class: 'field' }, element('label', { for: 'edit-x' }, 'Horizontal axis'), x);

    curves.value = spec.curves.join('\n');
    rowX.hidden = spec.kind !== 'loop';
    wide.checked = Boolean(spec.wide);
    const dialog = element('dialog', { 'aria-labelledby': 'edit-title', onclose: () => {
      dialog.remove();
      if (dialog.returnValue === 'yes')
        this.change({ kind: kind.value, curves: curves.value.split('\n').map(t => t.trim()).filter(Boolean),
          ...(kind.value === 'loop' ? { x: x.value.trim() } : {}), ...(wide.checked ? { wide: true } : {}) });
    } }, element('form', { method: 'dialog' }, element('h2', { id: 'edit-title' }, 'Edit this plot'),
      element('div', { class: 'field' }, element('label', { for: 'edit-curves' }, 'Curves, one per line: a channel or an expression'),
        curves, element('small', {}, 'Example: tracking error = a1.target - a1.displacement. Functions: abs, sqrt, min, max, hypot, '
          + 'sin, cos, exp, log. A unit may follow in brackets: a1.force / a1.displacement [N/m].')),
      element('div', { class: 'field' }, kind), rowX,
      element('div', { class: 'field line' }, wide, element('label', { for: 'edit-wide' }, 'full width')),
      element('div', { class: 'buttons' }, element('button', { value: 'no', formnovalidate: true }, 'Cancel'),
        element('button', { value: 'yes', class: 'primary' }, 'Apply'))));

    document.body.append(dialog);
    dialog.showModal();
  }

  destroy() {
    this.store.use(this, []);
    this.store.users.delete(this);
    this.chart.destroy();
    this.body.remove();
  }
}

// All of them; `changed()` is called when the layout is another one.
export class Panels {
  constructor(store, changed) {
    this.store = store;
    this.changed = changed;
    this.panels = [];
    this.hint = element('p', { class: 'hint' }, 'Drag a channel here, or press Enter on one.');
    this.body = element('div', { class: 'panels', ondragover: e => e.dataTransfer.types.includes(CHANNEL_TYPE) && e.preventDefault(),
      ondrop: e => {
        const key = e.dataTransfer.getData(CHANNEL_TYPE);

        if (key) {
          e.preventDefault();
          this.add({ kind: 'time', curves: [key] });
        }
      } });
  }

  set(specs) {
    for (const p of this.panels)
      p.destroy();
    this.panels = specs.map(spec => new Panel(this, spec));
    this.body.replaceChildren(...this.panels.map(p => p.body), this.hint);
    this.arrange();
  }

  // Two in a row; one that is alone takes all of it.
  arrange() {
    let left = null;

    for (const p of this.panels) {
      p.body.classList.remove('alone');
      if (p.spec.wide) {
        left?.body.classList.add('alone');
        left = null;
      } else {
        left = left ? null : p;
      }
    }
    left?.body.classList.add('alone');
    this.hint.hidden = this.panels.length > 0;
  }

  get specs() {
    return this.panels.map(p => p.spec);
  }

  add(spec) {
    const panel = new Panel(this, spec);

    this.panels.push(panel);
    this.body.append(panel.body);
    this.arrange();
    panel.body.scrollIntoView({ block: 'nearest' });
    this.changed();
  }

  // Into the first plot over time that takes it, or a new one.
  addChannel(key) {
    const channel = this.store.find(key);
    const fits = this.panels.find(p => p.spec.kind === 'time' && p.curves[0]?.unit === channel.unit
      && p.curves[0]?.stream === channel.stream);

    if (fits)
      fits.add(key);
    else
      this.add({ kind: 'time', curves: [key] });
  }

  remove(panel) {
    panel.destroy();
    this.panels = this.panels.filter(p => p !== panel);
    this.arrange();
    this.changed();
  }

  update() {
    for (const p of this.panels)
      p.update();
  }

  close() {
    this.set([]);
  }
}

// What is shown at first: what the actuators do, or the first displacements.
export function defaultPanels(store) {
  const { channels } = store, names = store.about.actuators ?? [];
  const of = (actuator, name) => channels.find(c => c.owner === actuator && c.name === `${actuator}.${name}`);
  const a = names.map(n => n.name).find(n => of(n, 'target') && of(n, 'displacement'));

  if (a) {
    const target = of(a, 'target'), measured = of(a, 'displacement'), force = of(a, 'force');
    const pair = channels.filter(c => c.stream === target.stream);
    const same = name => pair.find(c => c.name === `${a}.${name}`) ?? measured;

    return [{ kind: 'time', curves: [target.key, same('displacement').key], wide: true },
      ...(force ? [{ kind: 'loop', title: 'Hysteresis, force', x: same('displacement').key, curves: [same('force').key] }] : []),
      { kind: 'time', curves: [`tracking error = "${target.key}" - "${same('displacement').key}"`] }];
  }
  const held = store.about.console && names.map(n => n.name).find(n => of(n, 'sent'));

  if (held) { // a console: what was sent, with the reading that it is a command for
    const sent = of(held, 'sent');

    return ['displacement', 'force'].map(name => of(held, name)).filter(Boolean)
      .map(c => ({ kind: 'time', curves: c.unit === sent.unit ? [sent.key, c.key] : [c.key] }));
  }
  const first = (kind, count) => {
    const found = channels.filter(c => c.kind === kind && c.stream === 0), unit = (found.find(c => !c.unit.startsWith('rad')) ?? found[0])?.unit;

    return found.filter(c => c.unit === unit).slice(0, count).map(c => c.key);
  };
  const u = first('displacement', 3), rest = ['acceleration', 'velocity'].map(k => first(k, 2)).find(list => list.length);

  return [...(u.length ? [{ kind: 'time', curves: u, wide: true }] : []), ...(rest ? [{ kind: 'time', curves: rest }] : []),
    ...(u.length ? [{ kind: 'spectrum', curves: u.slice(0, 1) }] : [])];
}
