// A curve of a plot is a line of text: the key or name of a channel, or "[label =] expression [unit]".
import { compile, ExpressionError } from './expression.js';

const MEASURED = /^measured|^sensor/;
const ROLES = { target: 'target', command: 'command', reference: 'reference' };

// Words for a legend or a list: "a1, target displacement".
export const labelOf = channel => (channel.words || channel.name).replace(/^actuator /, '');

function roleOf(channel) {
  return ROLES[channel.kind] ?? (MEASURED.test(channel.kind) ? 'measured' : 'computed');
}

// The unit of an expression that only adds: that of its channels.
function unitOfSum(text, channels) {
  return !/[*/^]/.test(text) && channels.every(c => c.unit === channels[0].unit) ? channels[0].unit : '';
}

// { label, raw, unit, stream, role, channels, evaluate }; evaluate is null for a plain channel. Throws ExpressionError.
export function curveOf(store, text) {
  const plain = store.find(text.trim());

  if (plain)
    return { text, label: labelOf(plain), raw: plain.name, unit: plain.unit, stream: plain.stream, role: roleOf(plain),
      channels: [plain], evaluate: null };
  const [, label, body, unit] = /^(?:([^=]*)=)?([^[]*)(?:\[([^\]]*)\])?\s*$/.exec(text) ?? [];

  if (!body?.trim())
    throw new ExpressionError(`cannot read "${text}"`);
  const { names, evaluate } = compile(body, name => Boolean(store.find(name)));
  const channels = names.map(name => store.find(name));

  if (!channels.length)
    throw new ExpressionError(`"${body.trim()}" uses no channel`);
  if (channels.some(c => c.stream !== channels[0].stream))
    throw new ExpressionError('the channels of an expression must come at the same rate');
  return { text, label: (label ?? body).trim(), raw: body.trim(), unit: unit?.trim() ?? unitOfSum(body, channels),
    stream: channels[0].stream, role: 'error', channels, evaluate };
}

// One value per column: that of the row, or the middle of least and largest.
export function middles(curve, block, from, to) {
  const out = new Float64Array(to - from), parts = curve.channels.map(c => block.channels.get(c.id));

  if (parts.some(p => !p))
    return out.fill(NaN);
  const values = new Array(parts.length);

  for (let i = from; i < to; i++) {
    for (let k = 0; k < parts.length; k++)
      values[k] = parts[k].hi ? (parts[k].lo[i] + parts[k].hi[i]) / 2 : parts[k].lo[i];
    out[i - from] = curve.evaluate ? curve.evaluate(values) : values[0];
  }
  return out;
}

// Two values per column where it stands for several rows, so that no peak is hidden; one otherwise. The nearer end of a
// column comes first.
export function envelope(curve, block, from, to) {
  const part = !curve.evaluate && block.channels.get(curve.channels[0].id), n = to - from;

  if (block.rows === 1)
    return part ? part.lo.subarray(from, to) : middles(curve, block, from, to);
  const out = new Float64Array(2 * n);

  if (!part) {
    middles(curve, block, from, to).forEach((v, i) => {
      out[2 * i] = i ? (out[2 * i - 1] + v) / 2 : v; // where the columns meet
      out[2 * i + 1] = v;
    });
    return out;
  }
  for (let i = 0; i < n; i++) {
    const lo = part.lo[from + i], hi = part.hi[from + i], last = i ? out[2 * i - 1] : lo;
    const low = Math.abs(lo - last) <= Math.abs(hi - last);

    out[2 * i] = low ? lo : hi;
    out[2 * i + 1] = low ? hi : lo;
  }
  return out;
}

// The times that belong to it: the second value of a column stands in its middle.
export function times(block, from, to, shift) {
  const n = to - from, { t } = block;

  if (block.rows === 1)
    return Float64Array.from(t.subarray(from, to), x => x - shift);
  const out = new Float64Array(2 * n);

  for (let i = 0; i < n; i++) {
    const at = from + i, half = n < 2 ? 0 : (i + 1 < n ? t[at + 1] - t[at] : t[at] - t[at - 1]) / 2;

    out[2 * i] = t[at] - shift;
    out[2 * i + 1] = t[at] + half - shift;
  }
  return out;
}
