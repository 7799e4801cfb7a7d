// Learn: examples on the virtual rig with sliders. Every start draws a new curve; the last one stays behind it, pale, so
// that a change of a setting can be seen.
import { chart } from '../chart.js';
import { card, element, write } from './dom.js';
import { labelOf, curveOf, envelope, middles, times } from './curves.js';
import { number, unitFor } from '../format.js';
import { percent, colourOf } from './status.js';
import { post } from './link.js';
import { resample } from '../data.js';
import { Store } from './store.js';

const STEPS = 100; // of a slider

class Setting {
  constructor(s, changed) {
    this.s = s;
    this.label = element('output', {});
    const id = `setting-${s.key.replace(/\W/g, '-')}`;

    if (s.kind === 'choice') {
      this.input = element('select', { id, onchange: changed }, ...s.choices.map(c => element('option', { value: c, selected: c === s.default }, c)));
    } else {
      this.log = s.kind === 'number' && s.min > 0 && s.max / s.min > 50;
      this.input = element('input', { id, type: 'range', min: 0, max: s.kind === 'whole' ? s.max - s.min : STEPS, step: 1,
        oninput: () => { this.show(); changed(); } });
      this.value = s.default;
    }
    this.body = element('div', { class: 'field setting' }, element('div', { class: 'gauge-text' }, element('label', { for: id }, s.words || s.key), this.label), this.input);
    this.show();
  }

  set value(x) {
    const { s } = this, share = this.log ? Math.log(x / s.min) / Math.log(s.max / s.min) : (x - s.min) / (s.max - s.min);

    this.input.value = s.kind === 'whole' ? x - s.min : Math.round(share * STEPS);
    this.exact = x;
    this.at = this.input.value;
  }

  get value() {
    const { s } = this;

    if (s.kind === 'choice')
      return this.input.value;
    if (this.input.value === this.at)
      return this.exact;
    if (s.kind === 'whole')
      return s.min + Number(this.input.value);
    const share = Number(this.input.value) / STEPS;

    return Number((this.log ? s.min * (s.max / s.min) ** share : s.min + share * (s.max - s.min)).toPrecision(2));
  }

  show() {
    const { s } = this;

    if (s.kind === 'choice')
      return;
    const scale = unitFor(s.unit, Math.abs(this.value) || s.max);

    write(this.label, `${s.kind === 'whole' ? this.value : number(this.value * scale.factor, 3)} ${scale.unit}`.trim());
    this.input.setAttribute('aria-valuetext', this.label.textContent);
  }
}

export class LearnView {
  constructor(app, about) {
    this.app = app;
    this.examples = about.learn ?? [];
    this.allowed = about.controls && about.role === 'engineer';
    this.charts = element('div', { class: 'learn-charts' });
    this.side = element('div', { class: 'learn-side' });
    this.body = element('div', { class: 'learn' }, element('h1', { class: 'sr' }, 'Learn'), this.side, this.charts);
  }

  async open() {
    this.app.link('ok', 'connected');
    if (!this.examples.length) {
      this.body.replaceChildren(element('p', { class: 'loading' }, 'This server has no examples.'));
      return;
    }
    this.choose(this.examples[0]);
    this.draw = this.draw.bind(this);
    this.frame = requestAnimationFrame(this.draw);
  }

  choose(example) {
    this.example = example;
    this.previous = null;
    this.leave();
    this.settings = example.settings.map(s => new Setting(s, () => this.edited()));
    this.verdict = element('dl', { class: 'list' });
    this.start = element('button', { type: 'submit', class: 'primary', disabled: !this.allowed }, 'Run');
    this.link = element('a', { hidden: true }, 'Open in the live page');
    this.side.replaceChildren(
      element('section', { class: 'card' }, element('h2', {}, element('span', {}, 'Example')),
        element('div', { class: 'picker', role: 'group', 'aria-label': 'examples' }, ...this.examples.map(e => element('button', { type: 'button', 'aria-pressed': String(e === example),
          onclick: () => this.choose(e) }, e.title))),
        ...(example.words ?? '').split('\n').filter(Boolean).map(p => element('p', {}, p))),
      element('form', { class: 'card', onsubmit: e => { e.preventDefault(); this.run(); } }, element('h2', {}, element('span', {}, 'Settings'),
        element('em', {}, 'change one, then run')), ...this.settings.map(s => s.body), element('div', { class: 'buttons' }, this.link, this.start)),
      card('Result', this.outcome = element('em', { role: 'status' }), this.verdict));
    this.charts.replaceChildren(element('p', { class: 'loading' }, 'Press “Run”: the example starts on the virtual rig, and its curves appear here.'));
  }

  edited() {
    this.start.classList.add('changed');
  }

  async run() {
    const settings = Object.fromEntries(this.settings.map(s => [s.s.key, s.value]));

    this.start.disabled = true;
    try {
      const { run } = await post('/api/learn', { example: this.example.name, settings });

      await this.watch(run, this.settings.map(s => `${s.s.words || s.s.key} ${s.label.textContent || s.value}`).join(', '));
    } catch (error) {
      this.app.tell('warn', error.message);
    }
    this.start.disabled = !this.allowed;
    this.start.classList.remove('changed');
  }

  leave() {
    this.store?.close();
    this.store = null;
    this.plots?.forEach(p => p.chart.destroy());
    this.plots = null;
  }

  async watch(id, words) {
    const before = this.plots?.map(p => p.last), beforeWords = this.words;

    this.leave();
    const store = this.store = new Store(id);

    await store.open();
    store.windowLength = store.about.end_s || 60;
    this.words = words;
    this.link.hidden = false;
    this.link.href = this.app.hash(['run', id]);
    this.build(store, before, beforeWords);
    store.addEventListener('status', () => this.status(store.status));
  }

  // Response with its reference, what went wrong with it, and the loop of the specimen.
  specs(store) {
    const { channels } = store, find = (kind, owner) => channels.find(c => c.stream === 0 && c.kind === kind && (!owner || c.owner === owner));
    const reference = find('reference'), u = reference ? store.find(reference.name.replace(/^reference\./, '')) : find('displacement');
    const target = find('target'), measured = target && find('measured displacement', target.owner), force = target && find('measured force', target.owner);
    const error = find('energy') && store.find('energy.error');

    return [
      u && { title: 'Response', curves: [...(reference ? [reference.key] : []), u.key],
        words: 'Displacement of the structure. If it grows although nothing pushes, the loop is unstable.' },
      measured && { title: 'Tracking error', curves: [`target minus measured = "${target.key}" - "${measured.key}"`],
        words: 'How far the specimen is from its target. A delay gives an error in proportion to the velocity.' },
      reference && { title: 'Error against the reference', curves: [`error = "${u.key}" - "${reference.key}"`],
        words: 'Distance from an accurate solution of the whole structure in one piece: what dividing it and the step cost.' },
      force && { title: 'Loop, force', x: target.key, curves: [force.key],
        words: 'Measured force over the target, as the method sees the specimen. A spring should draw a line; a delay opens it to a loop that adds energy.' },
      !reference && !measured && error && { title: 'Error of the energy balance', curves: [error.key] },
    ].filter(Boolean);
  }

  build(store, before, beforeWords) {
    this.charts.replaceChildren();
    this.plots = this.specs(store).map((spec, i) => {
      const curves = spec.curves.map(t => curveOf(store, t)), x = spec.x && curveOf(store, spec.x), ghost = before?.[i];
      const host = element('div', { class: 'card' });
      const series = [...(ghost ? [{ label: 'last run', raw: beforeWords, role: 'last' }] : []),
        ...curves.map(c => ({ label: c.label, raw: c.raw, role: c.role }))];

      this.charts.append(host);
      const made = chart(host, { title: spec.title, unit: curves[0].unit, series, height: 'fill', link: x ? undefined : 'learn',
        ...(x ? { kind: 'xy', x: { label: 'target', unit: x.unit } } : { live: true }) });

      host.append(element('small', {}, spec.words));
      return { curves, x, ghost, chart: made };
    });
    this.charts.dataset.count = this.plots.length;
    store.use(this, this.plots.flatMap(p => [...p.curves, ...(p.x ? [p.x] : [])].flatMap(c => c.channels)));
  }

  draw() {
    this.frame = requestAnimationFrame(this.draw);
    for (const p of this.plots ?? []) {
      const block = this.store.blocks[p.curves[0].stream];

      if (block?.length && block.length !== p.drawn && !p.chart.zoomed) {
        p.drawn = block.length;
        if (p.x)
          this.drawLoop(p, block);
        else
          this.drawTime(p, block);
      }
    }
  }

  drawLoop(p, block) {
    const x = middles(p.x, block, 0, block.length), y = middles(p.curves[0], block, 0, block.length);

    p.last = [x, y];
    p.chart.set([...(p.ghost ? [p.ghost] : []), [x, y]]);
  }

  // The last run is drawn at the times of this one.
  drawTime(p, block) {
    const t = times(block, 0, block.length, 0), curves = p.curves.map(c => envelope(c, block, 0, block.length));

    p.last = [t, curves.at(-1).slice()];
    p.chart.set([t, ...(p.ghost ? [resample(...p.ghost, t)] : []), ...curves]);
  }

  status(s) {
    const q = s.quality ?? {}, rows = [['state', s.state], ...(q.tracking ?? []).map(t => [`tracking error ${t.actuator}`, percent(t.nrms)]),
      ['error against the reference', percent(q.error_u)], ['energy error', percent(q.energy_error)],
      ['trip', s.trip ? s.trip.words : 'none']].filter(([, v]) => v !== '–');

    write(this.outcome, s.trip ? 'tripped' : s.live ? 'running' : 'finished');
    this.outcome.className = colourOf(s.level);
    this.verdict.replaceChildren(...rows.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.leave();
  }
}
