// Numbers for people. Values arrive in SI; a display unit is chosen for a whole axis or column, not number by number.
//
//   unitFor('m', 0.0042)     -> { unit: 'mm', factor: 1000 }     multiply by factor to show
//   number(4.2134, 3)        -> '4.21'                           significant digits, no exponent between 1e-4 and 1e7
//   count(20000)             -> '20 000'
//   quantity(0.0042, 'm')    -> '4.20 mm'
//   chosen(0.002, 's')       -> '2 ms'
//   duration(754)            -> '12 min 34 s'
//   clock(74.35)             -> '01:14.4'

const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
// unit -> [smallest, largest prefix that the field uses]
const ranges = { m: [1e-6, 1], 'm/s': [1e-3, 1], 'm/s2': [1, 1], 'm/s^2': [1, 1], N: [1, 1e6], 'N m': [1, 1e6], J: [1e-3, 1e6],
  s: [1e-9, 1], rad: [1e-3, 1], 'rad/s': [1e-3, 1], Pa: [1, 1e9], W: [1e-3, 1e6], 'N/m': [1, 1e9], V: [1e-3, 1], A: [1e-3, 1] };

/* The display unit of a quantity whose largest size is `peak`. */
export function unitFor(unit, peak) {
  const range = ranges[unit];
  const nice = pretty(unit);
  if (!range || !(peak > 0) || !isFinite(peak)) return { unit: nice, factor: 1 };
  for (const [size, prefix] of prefixes)
    if (size <= range[1] && (peak >= 0.9999 * size || size <= range[0])) return { unit: prefix + nice, factor: 1 / size };
  return { unit: nice, factor: 1 };
}

export const pretty = unit => (unit || '').replace(/\^?2$/, '²').replace('N m', 'N·m');

/* `digits` significant ones; thousands are set apart by thin spaces. */
export function number(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return (mantissa + '·10' + [...exponent.replace('+', '')].map(c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]).join(''))
      .replace('-', '−');
  }
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Number(size.toPrecision(digits)))));
  return fixed(value, decimals);
}

export function fixed(value, decimals) {
  const [whole, rest] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u2009') : whole;
  const text = rest ? grouped + '.' + rest : grouped;
  return value < 0 && /[1-9]/.test(text) ? '−' + text : text;
}

/* Whole numbers. */
export const count = value => value === null || value === undefined ? '–' : fixed(value, 0);

/* Times per second: 1000, 12.5. */
export const rate = hz => fixed(hz, hz >= 100 || Math.abs(hz - Math.round(hz)) < 1e-6 * hz ? 0 : 2);

export function quantity(value, unit, digits = 3) {
  if (value === null || value === undefined || !isFinite(value) || value === 0) return number(value);
  const shown = unitFor(unit, Math.abs(value));
  return number(value * shown.factor, digits) + (shown.unit ? '\u00a0' + shown.unit : '');
}

/* A value that somebody chose: without zeros behind it. */
export function chosen(value, unit) {
  return quantity(value, unit, 4).replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined || !isFinite(seconds)) return '–';
  if (seconds < 60) return quantity(seconds, 's');
  const s = Math.round(seconds), h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h ? `${h} h ${m} min` : `${m} min ${s % 60} s`;
}

export function clock(seconds) {
  const tenths = Math.round(Math.max(seconds, 0) * 10), m = Math.floor(tenths / 600);
  return `${String(m).padStart(2, '0')}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}

/* Labels of ticks, with the decimals that their distance needs. */
export function ticks(values) {
  if (!values.length) return [];
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]);
  const largest = Math.max(...values.map(v => Math.abs(v ?? 0)));
  if (largest >= 1e7 || (largest > 0 && largest < 1e-4)) return values.map(v => v === null ? null : number(v, 3));
  const decimals = step > 0 ? Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) : 0;
  const extra = Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 ? 1 : 0;
  return values.map(v => v === null ? null : fixed(v, decimals + extra));
}
