// Starts the program and Debian's chromium for the tests of the pages, and ends both. Everything that is started is ended
// by its process number, also after a failure.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { chromium } = require('playwright-core');
export const axePath = require.resolve('axe-core/axe.min.js');

export const [yoke, chromiumPath] = process.argv.slice(2);
export const folder = mkdtempSync(join(tmpdir(), 'yoke-browser-'));
const children = new Set();

// A process of the program: { child, lines, ended }. `ended` resolves to its exit code.
export function program(...words) {
  const child = spawn(yoke, words, { cwd: folder, stdio: [words[0] === 'rig' ? 'pipe' : 'ignore', 'pipe', 'pipe'] }), p = { child, text: '' };

  for (const stream of [child.stdout, child.stderr])
    stream.on('data', d => { p.text += d; });
  p.ended = new Promise(resolve => child.on('exit', code => {
    children.delete(child);
    resolve(code);
  }));
  children.add(child);
  return p;
}

// By how much limits are longer on this machine at this moment, at least 1: tests/support/patience.h.
export const patience = () => Number(execFileSync(join(dirname(yoke), 'tests/patiently'), ['--factor']));

// Waits until `probe()` gives something; the last error or `words` otherwise.
export async function until(probe, words, ms = 20000) {
  let problem = '', left = ms, last = Date.now(), factor = patience(), measured = last;

  while (left > 0) {
    try {
      const found = await probe();

      if (found)
        return found;
    } catch (error) {
      problem = `: ${error.message}`;
    }
    await new Promise(done => setTimeout(done, 25));
    const now = Date.now();

    if (now - measured > 2000) {
      factor = patience();
      measured = now;
    }
    left -= (now - last) / factor;
    last = now;
  }
  throw new Error(`${words}: not within ${ms / 1000} s${problem}`);
}

export function file(name, text) {
  const path = join(folder, name);

  writeFileSync(path, text);
  return path;
}

// The server: { address, origin, token, process }.
export async function serve(...words) {
  const process = program('dash', '--port', '0', ...words);
  const address = await until(() => {
    if (process.child.exitCode !== null)
      throw new Error(process.text);
    return /http:\S+token=\S+/.exec(process.text)?.[0];
  }, 'the server prints its address');
  const url = new URL(address);

  return { address, origin: url.origin, token: url.searchParams.get('token'), process };
}

// ---- the browser ----

let browser;
export const complaints = []; // of any page: exceptions, refusals of the content security policy

export async function openPage(address, options = {}) {
  browser ??= await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options }), page = await context.newPage();

  page.on('pageerror', e => complaints.push(e.stack));
  page.on('console', m => /Content Security Policy|Refused to/.test(m.text()) && complaints.push(m.text()));
  page.setDefaultTimeout(60000 * patience());
  await page.goto(address);
  return page;
}

export async function closeAll() {
  await browser?.close();
  for (const child of children)
    child.kill('SIGTERM');
  await Promise.race([Promise.all([...children].map(c => new Promise(done => c.on('exit', done)))), new Promise(done => setTimeout(done, 5000))]);
  for (const child of children)
    child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

// ---- tests ----

let failed = 0;

export async function test(name, body) {
  const start = Date.now();

  try {
    await body();
    console.log(`ok      ${name} (${Date.now() - start} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name} (${Date.now() - start} ms)\n${error.stack}`);
  }
}

export function check(holds, words) {
  if (!holds)
    throw new Error(words);
}

export const failures = () => failed;
