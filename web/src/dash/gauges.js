// Gauges of the actuators: how near each reading is to its safety limit. Amber from 70 % on, red at the limit. After a trip the
// gauge of the limit shows the value that tripped, and no card is green. A run that has ended shows its largest values.
import { card, element, write } from './dom.js';
import { number, unitFor } from '../format.js';

const AMBER = 0.7, NOTHING = 5e-4; // of the limit
const FALL = 0.9; // from one status to the next, a fifth of a second later
const VERDICT = { ok: 'within limits', warn: 'near a limit', bad: 'limit exceeded' };
const ENDED = { ok: 'stayed within limits', warn: 'came near a limit', bad: 'limit exceeded' };
const WORST = ['ok', 'warn', 'bad'];

const levelOf = share => (share >= 1 ? 'bad' : share >= AMBER ? 'warn' : 'ok');

class Gauge {
  constructor(g) {
    const name = g.words || g.limit;

    this.text = element('span', { class: 'value' });
    this.fill = element('i');
    this.peak = element('b', { title: 'largest so far' });
    this.meter = element('div', { class: 'meter', role: 'meter', 'aria-label': `${g.actuator} ${name}`, 'aria-valuemin': 0,
      'aria-valuemax': 100, 'aria-valuenow': 0 }, this.fill, this.peak, element('u'));
    this.body = element('div', { class: 'gauge', title: `limits.${g.limit}: ${g.action ?? 'trip'}` },
      element('div', { class: 'gauge-text' }, element('span', {}, element('b', { class: 'of' }, `${g.actuator ?? ''} `), name), this.text), this.meter);
  }

  // An oscillating value would flicker: the gauge rises at once and falls slowly.
  show(g, { live, trip }) {
    this.held = Math.max(Math.abs(g.value ?? 0), FALL * (this.held ?? 0));
    const tripped = trip?.limit === g.limit && trip.actuator === g.actuator;
    const value = tripped ? Math.abs(trip.value ?? 0) : live ? this.held : Math.abs(g.peak ?? 0);
    const scale = unitFor(g.unit, g.max), share = value / g.max, level = tripped ? 'bad' : levelOf(share);
    const text = `${share < NOTHING ? '0' : number(value * scale.factor, tripped ? 4 : 2)} of ${Number((g.max * scale.factor).toPrecision(3))}`
      + (scale.unit ? ` ${scale.unit}` : '') + (tripped ? ', tripped' : '');

    write(this.text, text);
    this.fill.style.width = `${Math.min(share, 1) * 100}%`;
    this.peak.style.left = `${Math.min(Math.abs(g.peak) / g.max, 1) * 100}%`;
    this.body.dataset.level = level;
    this.meter.setAttribute('aria-valuenow', Math.round(Math.min(share, 1) * 100));
    this.meter.setAttribute('aria-valuetext', text);
    return level;
  }
}

const ROOM = 6, MOST_ACTUATORS = 3; // gauges in two lines each; actuators with all of their gauges

// One card per actuator; gauges without an actuator (of the whole run) share one. Many gauges take one line each, and
// of many actuators only the gauge that is nearest to its limit is shown.
export class Gauges {
  constructor() {
    this.body = element('div', { class: 'gauges' });
    this.cards = new Map();
  }

  cardOf(actuator) {
    if (!this.cards.has(actuator)) {
      const verdict = element('em'), rows = element('div');
      const body = card(actuator ? element('span', {}, 'Actuator ', element('span', { class: 'as-is' }, actuator)) : 'Limits of the run', verdict, rows);

      this.cards.set(actuator, { verdict, rows, gauges: new Map() });
      this.body.append(body);
    }
    return this.cards.get(actuator);
  }

  // The card of the actuator that tripped says so; all of them do where the trip is of none.
  verdict(card, level, { live, trip }) {
    if (trip && (trip.actuator === null || this.cards.get(trip.actuator) === card))
      return ['tripped', 'bad'];
    return trip && level === 'ok' ? ['stopped by the trip', 'warn'] : [(live ? VERDICT : ENDED)[level], level];
  }

  show(status) {
    const { gauges = [] } = status, levels = new Map(), nearest = new Map();

    for (const g of gauges) {
      const c = this.cardOf(g.actuator ?? ''), share = Math.abs(g.peak ?? 0) / g.max;

      if (!c.gauges.has(g.limit)) {
        const gauge = new Gauge(g);

        c.gauges.set(g.limit, gauge);
        c.rows.append(gauge.body);
      }
      const level = c.gauges.get(g.limit).show(g, status), before = levels.get(c) ?? 'ok';

      levels.set(c, WORST.indexOf(level) > WORST.indexOf(before) ? level : before);
      if (!(nearest.get(c)?.share >= share))
        nearest.set(c, { share, gauge: c.gauges.get(g.limit) });
    }
    for (const [c, level] of levels) {
      const [words, colour] = this.verdict(c, level, status);

      write(c.verdict, words);
      c.verdict.className = colour;
      for (const gauge of c.gauges.values())
        gauge.body.hidden = this.cards.size > MOST_ACTUATORS && gauge !== nearest.get(c).gauge;
    }
    this.body.classList.toggle('compact', gauges.length > ROOM);
    this.body.classList.toggle('many', this.cards.size > MOST_ACTUATORS);
  }
}
