// Derived curves: "a1.target - a1.displacement", "abs(a1.force) / 1e3". A parser of its own, so that no text of a user
// or of an address is ever run as code.
//
//   sum     = product { (+ | -) product }
//   product = sign { (* | /) sign }
//   sign    = [ - | + ] sign | power
//   power   = atom [ ^ sign ]
//   atom    = number | channel | "any name" | function ( sum {, sum} ) | ( sum )

const FUNCTIONS = {
  abs: [1, Math.abs], sqrt: [1, Math.sqrt], sin: [1, Math.sin], cos: [1, Math.cos], exp: [1, Math.exp],
  log: [1, Math.log], min: [2, Math.min], max: [2, Math.max], hypot: [2, Math.hypot],
};
const TOKEN = /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_][\w.:]*)|"([^"]*)"|([-+*\/^(),]))/y;
const DEEPEST = 50, LONGEST = 400;

export class ExpressionError extends Error {}

function tokens(text) {
  const out = [];

  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim()) {
    const at = TOKEN.lastIndex, m = TOKEN.exec(text);

    if (!m)
      throw new ExpressionError(`cannot read "${text.slice(at).trim().slice(0, 12)}"`);
    if (m[1] !== undefined)
      out.push({ kind: 'number', value: Number(m[1]) });
    else if (m[2] !== undefined || m[3] !== undefined)
      out.push({ kind: 'name', value: m[2] ?? m[3], quoted: m[2] === undefined });
    else
      out.push({ kind: m[4] });
  }
  return out;
}

// Returns { names, evaluate }: the channels that are used, and a function of their values in that order.
// `known(name)` says whether there is such a channel.
export function compile(text, known) {
  if (text.length > LONGEST)
    throw new ExpressionError(`longer than ${LONGEST} characters`);
  const list = tokens(text), names = [];
  let at = 0, depth = 0;

  const next = kind => list[at]?.kind === kind && list[at++];
  const expect = kind => {
    if (!next(kind))
      throw new ExpressionError(`"${kind}" is missing`);
  };
  const channel = name => {
    if (!known(name))
      throw new ExpressionError(`no channel "${name}"`);
    if (!names.includes(name))
      names.push(name);
    const i = names.indexOf(name);

    return v => v[i];
  };
  const call = name => {
    const [count, f] = FUNCTIONS[name], args = [];

    expect('(');
    do
      args.push(sum());
    while (next(','));
    expect(')');
    if (args.length !== count)
      throw new ExpressionError(`${name} takes ${count} value${count > 1 ? 's' : ''}`);
    return count === 1 ? v => f(args[0](v)) : v => f(args[0](v), args[1](v));
  };
  const atom = () => {
    let token;

    if ((token = next('number')))
      return () => token.value;
    if ((token = next('name')))
      return !token.quoted && Object.hasOwn(FUNCTIONS, token.value) && list[at]?.kind === '('
        ? call(token.value) : channel(token.value);
    if (next('(')) {
      const inner = sum();

      expect(')');
      return inner;
    }
    throw new ExpressionError(at < list.length ? `unexpected "${list[at].kind}"` : 'the expression is incomplete');
  };
  const sign = () => {
    if (!next('-'))
      return next('+') ? sign() : power();
    const of = sign();

    return v => -of(v);
  };
  const power = () => {
    const base = atom();

    if (!next('^'))
      return base;
    const exponent = sign();

    return v => base(v) ** exponent(v);
  };
  const product = () => {
    let left = sign();

    for (;;) {
      const before = left;

      if (next('*')) {
        const right = sign();
        left = v => before(v) * right(v);
      } else if (next('/')) {
        const right = sign();
        left = v => before(v) / right(v);
      } else {
        return left;
      }
    }
  };
  function sum() {
    if (++depth > DEEPEST)
      throw new ExpressionError('too many brackets');
    let left = product();

    for (;;) {
      const before = left;

      if (next('+')) {
        const right = product();
        left = v => before(v) + right(v);
      } else if (next('-')) {
        const right = product();
        left = v => before(v) - right(v);
      } else {
        depth--;
        return left;
      }
    }
  }
  const evaluate = sum();

  if (at < list.length)
    throw new ExpressionError(`unexpected "${list[at].value ?? list[at].kind}"`);
  return { names, evaluate };
}
