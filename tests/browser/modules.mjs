// Parts of the page that need no browser: expressions, spectra, frames.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { check, test } from './harness.mjs';
import { compile } from '../../web/src/dash/expression.js';
import { spectrum } from '../../web/src/dash/fft.js';
import { readFrame } from '../../web/src/dash/link.js';

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

await test('the assets of a page are small', () => {
  for (const page of ['dash', 'report']) {
    const files = ['js', 'css'].map(e => readFileSync(new URL(`../../web/dist/${page}.${e}`, import.meta.url)));
    const size = files.reduce((sum, f) => sum + gzipSync(f).length, 0);

    check(size < 300e3, `${page}: ${size} bytes`);
  }
});
