// Parts of the page that need no browser: expressions, spectra, frames.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { check, test } from './harness.mjs';
import { factor, shape, worst } from '../../web/src/beam.js';
import { compile } from '../../web/src/dash/expression.js';
import { spectrum } from '../../web/src/dash/fft.js';
import { readFrame } from '../../web/src/dash/link.js';
import { sketch } from '../../web/src/sketch.js';

const value = (text, values = {}) => {
  const { names, evaluate } = compile(text, name => name in values);

  return evaluate(names.map(n => values[n]));
};
const refuses = (text, words) => {
  try {
    compile(text, name => name === 'a.b');
  } catch (error) {
    check(error.message.includes(words), `"${text}": "${error.message}" does not say "${words}"`);
    return;
  }
  throw new Error(`"${text}" was accepted`);
};

await test('expressions follow the rules of arithmetic', () => {
  for (const [text, expected] of [['2 + 3 * 4', 14], ['-2^2', -4], ['2^-1', 0.5], ['2^3^2', 512], ['8 / 4 / 2', 1], ['1 - 2 - 3', -4],
    ['(1 + 2) * 3', 9], ['max(1, min(5, 3))', 3], ['abs(-1.5e1)', 15]])
    check(value(text) === expected, `${text} = ${value(text)}, expected ${expected}`);
  check(value('a1.target - "ticks:a1.displacement"', { 'a1.target': 3, 'ticks:a1.displacement': 1 }) === 2, 'channels');
});

await test('expressions refuse everything else', () => {
  refuses('1 +', 'incomplete');
  refuses('b', 'no channel "b"');
  refuses('constructor', 'no channel');
  refuses('min(1)', 'takes 2');
  refuses('2 3', 'unexpected');
  refuses('a.b; alert(1)', 'cannot read');
  refuses('a.b[0]', 'cannot read');
  refuses('('.repeat(100), 'too many brackets');
  refuses(`1${'+1'.repeat(300)}`, 'longer than');
});

await test('the spectrum of a sine has its amplitude and frequency', () => {
  // 25 periods in the 1024 newest samples: 25/(1024 dt); the constant part is removed
  const values = Float64Array.from({ length: 1500 }, (_, i) => 3 + 2 * Math.sin(2 * Math.PI * 25 * i / 1024));
  const { frequency, amplitude } = spectrum(values, 0.01), top = amplitude.indexOf(Math.max(...amplitude));

  check(top === 25 && Math.abs(frequency[top] - 25 / 10.24) < 1e-12, `peak at ${frequency[top]} Hz`);
  check(Math.abs(amplitude[top] - 2) < 1e-9, `amplitude ${amplitude[top]}`);
  check(amplitude[0] < 1e-9, 'mean');
});

// A frame of two storeys: displacements and rotations of the ends from the end forces of an independent prototype, by slope-deflection.
await test('members are drawn along their elastic curves', () => {
  const column = { L: 3.5, EA: 2.2e9, EI: 40e6, N: -321854.0591, M1: 163568.0857, M2: 99720.797 }, beam = { L: 6, EI: 55e6, M1: -150995.658, M2: -150638.035 };
  const turnC = (column.M2 - column.M1) * column.L / (2 * column.EI), psi = (2 * turnC - column.M1 * column.L / column.EI) / 6;
  const c = [-psi * column.L, column.N * column.L / column.EA, 0], d = [0, -478145.9409 * column.L / column.EA, 0], turnD = turnC + (beam.M2 - beam.M1) * beam.L / (2 * beam.EI);
  const near = (value, expected, within) => check(Math.abs(value - expected) < within, `${value}, expected ${expected}`);

  near(4 * turnC + 2 * turnD - 6 * (d[1] - c[1]) / beam.L, beam.M1 * beam.L / beam.EI, 1e-8); // the two moments belong together
  const half = shape([0, 0, 0], [0, 3.5, 0], [[0, 0, 0], c], [[0, 0, 0], [0, 0, turnC]], 0.5);
  near(half[0], 0.00458175285, 1e-10);
  near(half[1], -0.000256020274, 1e-11);
  const along = [c, [c[0], d[1], 0]], turned = [[0, 0, turnC], [0, 0, turnD]];
  near(shape([0, 3.5, 0], [6, 3.5, 0], along, turned, 0.25)[1], -0.00212761963, 1e-9);
  near(shape([0, 3.5, 0], [6, 3.5, 0], along, turned, 0.5)[1], -0.000650993665, 1e-9);
  // an end that turns freely: a cantilever of length 2 with 6 mm at its tip has 5/16 of them in the middle
  near(shape([0, 0, 0], [2, 0, 0], [[0, 0, 0], [0, 6e-3, 0]], [[0, 0, 0], null], 0.5)[1], 6e-3 * 5 / 16, 1e-15);
  near(shape([0, 0, 0], [2, 0, 0], [[0, 0, 0], [0, 6e-3, 0]], [null, null], 0.25)[1], 1.5e-3, 1e-15); // a truss stays straight
  // across in space: a rotation about y moves a beam along x towards -z
  near(shape([0, 0, 0], [1, 0, 0], [[0, 0, 0], [0, 0, 0]], [[0, 0.01, 0], [0, 0, 0]], 0.5)[2], -0.01 / 8, 1e-15);
  check(factor(10, 0.18) === 2 && factor(10, 0.0999) === 5 && factor(1, 1) === 0.05, `${factor(10, 0.18)}, ${factor(10, 0.0999)}`);
});

await test('a hinge keeps the worst state that it was in', () => {
  const points = { yield_rad: [0.002, 0.001], cap_rad: [0.02, 0.01], last_rad: [null, 0.05] };

  check(worst([0, 0.0009, -0.0015, 0.0011, 0, 0.012, -0.03, 0.06, 0], points).join('') === '000112233', worst([0, 0.0009, -0.0015, 0.0011, 0, 0.012, -0.03, 0.06, 0], points).join(''));
  check(worst([0, 1], undefined).join('') === '00', 'a law without points');
});

await test('frames that are too short or of another kind are ignored', () => {
  const head = new Uint32Array([0x31464b59, 2, 0, 0, 1, 2, 1, 0]), whole = new ArrayBuffer(32 + 8 + 2 * 2 * 8);

  new Uint32Array(whole, 0, 8).set(head);
  new Float64Array(whole, 40, 4).set([0.1, 0.2, 7, 8]);
  const frame = readFrame(whole);

  check(frame.kind === 'append' && frame.t[1] === 0.2 && frame.columns[0].lo[1] === 8, 'a good frame');
  check(readFrame(whole.slice(0, 56)) === null, 'truncated');
  check(readFrame(new ArrayBuffer(8)) === null, 'no head');
  const strange = whole.slice(0);

  new Uint32Array(strange, 0, 1)[0] = 1;
  check(readFrame(strange) === null, 'magic');
});

// As much of a document as a sketch needs: { name, attributes, children }.
globalThis.document ??= { createElementNS: (_, name) => ({ name, attributes: {}, children: [],
  setAttribute(key, value) { this.attributes[key] = String(value); }, append(...all) { this.children.push(...all); }, get lastChild() { return this.children.at(-1); } }) };
const all = (e, name) => (e.children ?? []).flatMap(c => [...(c.name === name ? [c] : []), ...all(c, name)]);
const model = more => ({ name: 'm', kind: 'frame', role: 'numerical', rate: 'fine', actuators: [], dofs: [], places: [], lines: [], elements: [], supports: [], ...more });
// The arrow of a load: its tail and its tip.
const arrowOf = (drawing, words) => {
  const path = all(drawing, 'path').find(p => p.children.some(t => t.children[0] === words)), at = path.attributes.d.match(/-?[\d.]+/g).map(Number);

  return { tail: at.slice(0, 2), tip: at.slice(2, 4) };
};

await test('a sketch has no body without a width, however many stand side by side', () => {
  for (const count of [1, 4, 8, 14])
    for (const small of [false, true]) {
      const names = Array.from({ length: count }, (_, i) => `f${i + 1}`);
      const floors = model({ dof_count: count, dofs: names.map(n => `${n}.x`), places: names.map(() => null), elements: names.map(n => ({ name: n, law: 'spring', from: null, to: `${n}.x` })) });
      const rects = all(sketch({ substructures: [floors] }, { small }), 'rect').map(r => r.attributes);

      check(rects.length === count, `${rects.length} bodies of ${count}`);
      for (const { x, width, height } of rects)
        check(Number(width) > 2 && Number(height) > 2 && Number(x) >= 0, `${count} floors: ${JSON.stringify({ x, width, height })}`);
      const sorted = rects.map(r => [Number(r.x), Number(r.x) + Number(r.width)]).sort((a, b) => a[0] - b[0]);

      check(sorted.every(([x], i) => !i || x > sorted[i - 1][1]), `${count} floors overlap`);
    }
});

await test('a sketch draws loads the way they act, and supports', () => {
  const portal = model({ dof_count: 3, dofs: ['head.x', 'head.y', 'head.rz', 'b.x'], places: [[0, 3, 0], [0, 3, 0], [0, 3, 0], [4, 0, 0]],
    lines: [[[0, 0, 0], [0, 3, 0]], [[0, 3, 0], [4, 0, 0]]], supports: [{ at: [0, 0, 0], held: ['x', 'y', 'rz'] }, { at: [4, 0, 0], held: ['y'] }] });
  const hanger = model({ name: 'h', kind: 'linear', dof_count: 1, dofs: ['y'], places: [null] });
  const load = (substructure, dof, sign) => ({ substructure, ground: false, dofs: [dof], sign, words: `${substructure} ${dof} ${sign}` });
  const ways = { 'm head.y -1': [0, 1], 'm head.y 1': [0, -1], 'm head.x 1': [1, 0], 'm head.x -1': [-1, 0], 'h y -1': [0, 1], 'h y 1': [0, -1] }; // y of a picture is downwards
  const drawing = sketch({ substructures: [portal, hanger], loads: Object.keys(ways).map(w => load(...w.split(' ').map((x, i) => (i === 2 ? Number(x) : x)))) });

  for (const [words, [dx, dy]] of Object.entries(ways)) {
    const { tail, tip } = arrowOf(drawing, words);

    check(Math.sign(tip[0] - tail[0]) === dx && Math.sign(tip[1] - tail[1]) === dy, `${words}: from ${tail} to ${tip}`);
  }
  const supports = all(drawing, 'g').filter(g => g.attributes.class === 'support');

  check(supports.length === 2, `${supports.length} supports`);
  check(!all(supports[0], 'circle').length && all(supports[1], 'circle').length === 2, 'a clamped foot has no rollers, a sliding one has');
});

await test('the assets of a page are small', () => {
  for (const page of ['dash', 'report']) {
    const files = ['js', 'css'].map(e => readFileSync(new URL(`../../web/dist/${page}.${e}`, import.meta.url)));
    const size = files.reduce((sum, f) => sum + gzipSync(f).length, 0);

    check(size < 300e3, `${page}: ${size} bytes`);
  }
});
