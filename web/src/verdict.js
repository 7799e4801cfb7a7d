// What came of a run, in words and a colour: { level: 'ok'|'warn'|'bad', word, why: [..] }. The program judges (summary.verdict);
// here it only becomes a colour, so that nothing is green that the program calls doubtful.
import { count, number, quantity } from './format.js';

export function verdict(run) {
  const s = run.summary, why = [];
  if (!s || s.finished === undefined)
    return { level: 'bad', word: 'Interrupted', why: [run.finished ? 'The recording has no summary.'
      : 'The run did not end: it was killed, or it is still going on. The recording holds everything up to that point.'] };
  const judged = s.verdict, reasons = (judged?.reasons || []).map((r, i) => `${r.text}${i < 2 ? `: ${r.why}. ${r.advice[0].toUpperCase()}${r.advice.slice(1)}.` : ''}`);
  why.push(...reasons, ...(s.notes || []));
  const trip = (s.events || []).find(e => e.kind === 'trip');
  if (s.realtime?.degraded) why.push(`Degraded: ${s.realtime.refused}`);
  if (s.missed_deadlines > 0) why.push(`${count(s.missed_deadlines)} deadline${s.missed_deadlines > 1 ? 's' : ''} missed.`);
  if (s.dropped_samples > 0) why.push(`${count(s.dropped_samples)} samples were not recorded.`);
  if (s.warnings > 0) why.push(`${count(s.warnings)} warning${s.warnings > 1 ? 's' : ''}${s.first_warning ? `, the first: ${s.first_warning}` : ''}`);
  if (s.hybrid_loop?.verdict === 'unstable') why.push(`The loop with the specimen was judged unstable: ${s.hybrid_loop.words}`);
  for (const [name, t] of Object.entries(s.tracking || {})) if (t.implausible_force) why.push(`Actuator ${name}: ${t.implausible_force}`);
  if (trip) return { level: 'bad', word: 'Tripped', why: [trip.words, ...why] };
  if (!s.finished) return { level: s.stop_reason && /stop|abort|operator|request/i.test(s.stop_reason) ? 'warn' : 'bad',
    word: /diverg/i.test(s.stop_reason) ? 'Diverged' : 'Stopped early', why: [s.stop_reason || 'It ended before its last step.', ...why] };
  if (judged?.level === 'unusable') return { level: 'bad', word: 'Unusable', why };
  if (judged?.level === 'doubtful') return { level: 'warn', word: 'Doubtful', why };
  const word = judged?.level === 'good' ? 'Good' : 'Completed';
  return why.length ? { level: 'warn', word: `${word}, with warnings`, why } : { level: 'ok', word, why };
}

/* The numbers by which a run is judged: [key, words, text, value]; only those that it has. */
export function indices(run) {
  const s = run.summary || {}, out = [];
  const add = (words, value, text, title) => { if (value !== null && value !== undefined && Number.isFinite(value)) out.push({ words, value, text, title }); };
  const percent = v => `${number(100 * v, 3)} %`;
  for (const [name, t] of Object.entries(s.tracking || {})) {
    add(`tracking error ${name}, NRMS`, t.nrms, percent(t.nrms), 'rms of target minus measured over the rms of the target');
    add(`residual delay ${name}`, t.delay_s, quantity(t.delay_s, 's'), 'delay that fits the tracking error best; negative: the actuator leads');
  }
  add('error to the reference', s.errors?.displacement_nrms, percent(s.errors?.displacement_nrms), 'displacement, NRMS');
  if (!s.static) add('energy error', s.energy?.error_relative, percent(s.energy?.error_relative), 'of the largest energy');
  add('largest interface gap', s.drift?.displacement, quantity(s.drift?.displacement, 'm'), 'displacement');
  if (s.realtime) add('deadlines missed', s.missed_deadlines, count(s.missed_deadlines), 'of the paced run');
  if (s.realtime) add('lateness, 99 %', s.realtime.lateness.p99_s, quantity(s.realtime.lateness.p99_s, 's'), 'of 99 % of the control ticks');
  if (!s.static) add('median step', s.timing?.median_s, quantity(s.timing?.median_s, 's'), 'computing time of a step');
  return out;
}
