// The cards that follow the status of a run: state machine and trip, quality, lateness, events and notes.
import { card, drawing, element, write } from './dom.js';
import { clock, fixed, number, quantity } from '../format.js';

// Colour of a state: `wait` is amber like `warn`; the word says which it is.
export const colourOf = level => ({ ok: 'ok', wait: 'warn', warn: 'warn', bad: 'bad' })[level] ?? 'warn';

export const percent = x => (x === null || x === undefined ? '–' : `${number(100 * x, 2)} %`);

export class StateCard {
  constructor(states) {
    this.aside = element('em');
    this.items = new Map((states ?? []).map(s => [s, element('li', {}, s)]));
    this.list = element('ul', { class: 'states', 'aria-label': 'states of the supervisor' }, ...this.items.values());
    this.trip = element('p', { class: 'trip', hidden: true });
    this.body = card('State', this.aside, this.list, this.trip);
  }

  show(status) {
    for (const [name, item] of this.items) {
      const here = name === status.state;

      item.className = here ? colourOf(status.level) : '';
      here ? item.setAttribute('aria-current', 'step') : item.removeAttribute('aria-current');
    }
    const [level, words] = status.trip ? ['bad', 'tripped'] : status.warnings ? ['warn', `${status.warnings} warning${status.warnings > 1 ? 's' : ''}`]
      : status.degraded ? ['warn', 'degraded: no real-time machine'] : ['ok', 'no trip'];

    write(this.aside, words);
    this.aside.className = level;
    this.trip.hidden = !status.trip && !status.warning;
    this.trip.className = status.trip ? 'trip bad' : 'trip warn';
    write(this.trip, status.trip ? status.trip.words : status.warning ?? '');
  }
}

export class QualityCard {
  constructor() {
    this.rows = new Map();
    this.list = element('dl', { class: 'list' });
    this.body = card('Quality so far', null, this.list);
  }

  row(name, text, title, level = '') {
    if (!this.rows.has(name)) {
      const value = element('dd');

      this.rows.set(name, value);
      this.list.append(element('div', { title }, element('dt', {}, name), value));
    }
    const value = this.rows.get(name);

    write(value, text);
    value.className = level;
  }

  show({ quality: q, verdict: v }, margin) {
    const list = q?.tracking ?? [], tracking = 'target minus measured, NRMS', delay = 'what is left after compensation; negative: leads';
    const error = t => percent(t.nrms), left = t => quantity(t.delay_s, 's', 2), level = t => (t.nrms > 0.05 ? 'warn' : '');

    if (v)
      this.row('verdict', v.reason ? `${v.level}: ${v.reason}` : v.level, 'by the bounds of the file, for the run so far',
        `words ${{ doubtful: 'warn', unusable: 'bad' }[v.level] ?? ''}`);
    if (list.length === 1) {
      const [t] = list;

      this.row('tracking error', t.nrms === null ? '–' : `${error(t)} NRMS`, tracking, level(t));
      this.row('residual delay', left(t), delay);
      if (t.compensated_s !== null)
        this.row('compensated delay', quantity(t.compensated_s, 's', 3), 'delay that the compensator assumes');
    } else {
      for (const t of list)
        this.row(`tracking of ${t.actuator}`, `${error(t)}, ${left(t)}`, `${tracking}; ${delay}`, level(t));
    }
    if (q?.error_u !== null && q?.error_u !== undefined)
      this.row('error against the reference', percent(q.error_u), 'displacement, NRMS');
    if (margin !== null && margin !== undefined)
      this.row('delay margin', quantity(margin, 's', 3), 'how much more delay the loop tolerates');
    this.row('energy error', percent(q?.energy_error), 'relative to the largest energy', q?.energy_error > 0.05 ? 'warn' : '');
    this.row('interface gap', q?.drift_u === 0 ? '0' : quantity(q?.drift_u, 'm', 2), 'largest difference of displacements across an interface');
  }
}

// The share of beats that began within a bin; counts on a logarithmic scale.
export class LatenessCard {
  constructor() {
    this.aside = element('em');
    this.svg = drawing('svg', { class: 'histogram', viewBox: '0 0 264 74', role: 'img' });
    this.body = card('Lateness', this.aside, this.svg);
  }

  show({ timing }) {
    const { upper_s: upper = [], counts = [] } = timing?.lateness ?? {}, text = JSON.stringify(counts);

    write(this.aside, !timing?.paced ? 'not paced: as fast as possible' : `${fixed(timing.missed, 0)} deadlines missed`);
    if (text === this.drawn)
      return;
    this.drawn = text;
    let last = counts.length;
    while (last > 1 && !counts[last - 1])
      last--;
    let first = 0;
    while (first < last - 8 && !counts[first])
      first++;
    const n = Math.max(last - first, 8), width = 264 / n, every = Math.ceil(n / 4), items = [];
    const top = Math.log10(1 + Math.max(1, ...counts));

    for (let i = 0; i < n; i++) {
      const count = counts[first + i] ?? 0, h = 54 * Math.log10(1 + count) / top, x = i * width;

      items.push(drawing('rect', { x: x + width / 12, y: 58 - h, width: width * 5 / 6, height: Math.max(h, 0.5), rx: Math.min(1.5, width / 4) }));
      if (i % every === Math.floor(every / 2) && upper[first + i])
        items.push(drawing('text', { x: Math.min(Math.max(x + width / 2, 16), 246), y: 71, 'text-anchor': 'middle' }, quantity(upper[first + i], 's', 2)));
    }
    this.svg.replaceChildren(...items);
    this.svg.setAttribute('aria-label', timing?.paced
      ? `99 % of the beats were at most ${quantity(lateness(timing, 0.99), 's', 2)} late, ${timing.missed} deadlines missed` : 'the run is not paced');
  }
}

// The lateness that a share of the beats did not exceed.
export function lateness(timing, share) {
  const { upper_s: upper = [], counts = [] } = timing?.lateness ?? {}, all = counts.reduce((a, b) => a + b, 0);
  let seen = 0;

  for (let i = 0; i < counts.length; i++)
    if ((seen += counts[i]) >= share * all && all)
      return upper[i];
  return null;
}

const EVENT_LEVEL = { trip: 'bad', lost: 'bad', missed: 'warn', warning: 'warn', degraded: 'warn' };

export class EventsCard {
  // `note(text)` sends a note of the operator.
  constructor(note, canWrite) {
    this.count = element('em');
    this.list = element('ol', { class: 'list events', tabindex: '0', 'aria-label': 'events' });
    const text = element('input', { 'aria-label': 'note', placeholder: 'note for the record', maxlength: 200, disabled: !canWrite });
    const form = element('form', { class: 'note', onsubmit: e => {
      e.preventDefault();
      if (text.value.trim() && note(text.value.trim()))
        text.value = '';
    } }, text, element('button', { disabled: !canWrite }, 'Add'));

    this.body = card('Events', this.count, this.list, form);
    this.body.classList.add('event-card');
    this.shown = 0;
  }

  // Newest first.
  show(events) {
    if (events.length < this.shown) {
      this.list.replaceChildren();
      this.shown = 0;
    }
    for (const e of events.slice(this.shown))
      this.list.prepend(element('li', { title: e.wall }, element('time', {}, clock(e.time_s ?? 0)),
        element('span', { class: e.kind === 'state' && /running/.test(e.words) ? 'ok' : EVENT_LEVEL[e.kind] ?? '' },
          e.kind === 'note' ? `“${e.words}”` : e.words)));
    this.shown = events.length;
    write(this.count, events.length ? `${events.length}` : 'none yet');
  }
}
