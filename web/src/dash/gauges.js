// Gauges of the actuators: how near each reading is to its safety limit. Amber from 70 % on, red at the limit.
import { card, element, write } from './dom.js';
import { number, unitFor } from '../format.js';

const AMBER = 0.7;
const VERDICT = { ok: 'within limits', warn: 'near a limit', bad: 'limit exceeded' };
const WORST = ['ok', 'warn', 'bad'];

export const levelOf = share => (share >= 1 ? 'bad' : share >= AMBER ? 'warn' : 'ok');

class Gauge {
  constructor(g) {
    const name = g.words || g.limit;

    this.text = element('span', { class: 'value' });
    this.fill = element('i');
    this.peak = element('b', { title: 'largest so far' });
    this.meter = element('div', { class: 'meter', role: 'meter', 'aria-label': `${g.actuator} ${name}`, 'aria-valuemin': 0,
      'aria-valuemax': 100, 'aria-valuenow': 0 }, this.fill, this.peak, element('u'));
    this.body = element('div', { class: 'gauge', title: `limits.${g.limit}: ${g.action ?? 'trip'}` },
      element('div', { class: 'gauge-text' }, element('span', {}, name), this.text), this.meter);
  }

  show(g) {
    const scale = unitFor(g.unit, g.max), share = Math.abs(g.share ?? 0), level = levelOf(share);
    const text = `${number(Math.abs(g.value) * scale.factor, 2)} of ${number(g.max * scale.factor, 2)}`
      + (scale.unit ? ` ${scale.unit}` : '');

    write(this.text, text);
    this.fill.style.width = `${Math.min(share, 1) * 100}%`;
    this.peak.style.left = `${Math.min(Math.abs(g.peak) / g.max, 1) * 100}%`;
    this.body.dataset.level = level;
    this.meter.setAttribute('aria-valuenow', Math.round(Math.min(share, 1) * 100));
    this.meter.setAttribute('aria-valuetext', text);
    return level;
  }
}

// One card per actuator; those without an actuator (of the whole run) share one.
export class Gauges {
  constructor() {
    this.body = element('div', { class: 'gauges' });
    this.cards = new Map();
  }

  cardOf(actuator) {
    if (!this.cards.has(actuator)) {
      const verdict = element('em'), rows = element('div');
      const body = card(actuator ? `Actuator ${actuator}` : 'Limits of the run', verdict, rows);

      this.cards.set(actuator, { verdict, rows, gauges: new Map() });
      this.body.append(body);
    }
    return this.cards.get(actuator);
  }

  // Gauges of a status; tells the worst level.
  show(gauges) {
    const levels = new Map();

    for (const g of gauges ?? []) {
      const c = this.cardOf(g.actuator ?? '');

      if (!c.gauges.has(g.limit)) {
        const gauge = new Gauge(g);

        c.gauges.set(g.limit, gauge);
        c.rows.append(gauge.body);
      }
      const level = c.gauges.get(g.limit).show(g), before = levels.get(c) ?? 'ok';

      levels.set(c, WORST.indexOf(level) > WORST.indexOf(before) ? level : before);
    }
    for (const [c, level] of levels) {
      write(c.verdict, VERDICT[level]);
      c.verdict.className = level;
    }
    return [...levels.values()].reduce((a, b) => (WORST.indexOf(b) > WORST.indexOf(a) ? b : a), 'ok');
  }
}
