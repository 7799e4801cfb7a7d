'use strict';
// The extension without VS Code: a stand-in for its API, and the real program. YOKE_PROGRAM is build/yoke.
const assert = require('node:assert');
const fs = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { test, before, after } = require('node:test');
const core = require('./core.js');

const PROGRAM = process.env.YOKE_PROGRAM;
const EXAMPLE = path.join(__dirname, '../../examples/spring-specimen/spring-specimen.yaml');
const seen = { problems: new Map(), panels: [], messages: [], printed: '', commands: {}, saved: null };
let folder;

const stub = {
  DiagnosticSeverity: { Error: 0, Warning: 1 },
  ViewColumn: { Beside: -2 },
  Uri: { file: (name) => ({ fsPath: name }) },
  Range: class { constructor(...places) { this.places = places; } },
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  commands: { registerCommand: (name, act) => { seen.commands[name] = act; return {}; } },
  languages: {
    createDiagnosticCollection: () => ({
      set: (uri, list) => seen.problems.set(uri.fsPath, list), delete: (uri) => seen.problems.delete(uri.fsPath),
    }),
  },
  window: {
    createOutputChannel: () => ({ append: (text) => { seen.printed += text; }, show() {} }),
    createWebviewPanel: () => { const panel = { webview: {} }; seen.panels.push(panel); return panel; },
    showWarningMessage: (text) => seen.messages.push(text), showErrorMessage: (text) => seen.messages.push(text),
    showInformationMessage: (text) => seen.messages.push(text),
  },
  workspace: {
    getConfiguration: () => ({ get: (name) => ({ program: PROGRAM, checkAtSave: true, budget: '0.3 s' })[name] }),
    onDidSaveTextDocument: (act) => { seen.saved = act; return {}; },
    onDidCloseTextDocument: (act) => { seen.closed = act; return {}; },
  },
};

function open(name, text) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, text);
  const document = { uri: { fsPath: file }, getText: () => text, save: async () => true };
  stub.window.activeTextEditor = { document };
  return document;
}

before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'yoke-vscode-'));
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? stub : load(name, ...rest));
  require('./extension.js').activate({ subscriptions: [] });
});
after(() => fs.rmSync(folder, { recursive: true }));

const GOOD = fs.readFileSync(EXAMPLE, 'utf8').replace('end: 20 s', 'end: 2 s');

test('every command of package.json exists, and no other', () => {
  const about = JSON.parse(fs.readFileSync(path.join(__dirname, 'package.json'), 'utf8'));
  assert.deepStrictEqual(about.contributes.commands.map((c) => c.command).sort(), Object.keys(seen.commands).sort());
});

test('an unknown key is marked at its line when the file is saved', async () => {
  const document = open('wrong.yaml', GOOD.replace('amplitude:', 'amplitud:'));
  await seen.saved(document);
  const list = seen.problems.get(document.uri.fsPath);
  assert.strictEqual(list.length, 1);
  assert.match(list[0].message, /amplitud/);
  assert.strictEqual(list[0].severity, 0);
  const line = GOOD.split('\n').findIndex((text) => text.includes('amplitude:'));
  assert.strictEqual(list[0].range.places[0], line);
  assert.strictEqual(list[0].range.places[1], GOOD.split('\n')[line].indexOf('amplitude:'));
  seen.closed(document);
  assert.ok(!seen.problems.has(document.uri.fsPath));
});

test('a file that is mended loses its mark, and another YAML file gets none', async () => {
  const document = open('mended.yaml', GOOD);
  seen.problems.set(document.uri.fsPath, ['old']);
  await seen.saved(document);
  assert.deepStrictEqual(seen.problems.get(document.uri.fsPath).filter((d) => d.severity === 0), []);
  const other = open('other.yaml', 'a: 1\n');
  await seen.saved(other);
  assert.ok(!seen.problems.has(other.uri.fsPath));
});

test('plot says that there is no run, then shows the last one as an image', async () => {
  const document = open('spring.yaml', GOOD);
  await seen.commands['yoke.plot']();
  assert.match(seen.messages.pop(), /has not been run/);
  assert.strictEqual(await seen.commands['yoke.run'](), 0);
  assert.match(seen.printed, /200 of 200 steps/);
  assert.ok(core.newestRun(document.uri.fsPath));
  const drew = await seen.commands['yoke.plot']();
  if (drew) assert.match(seen.panels[0].webview.html, /default-src 'none'.*data:image\/svg\+xml;base64,/s);
  else assert.match(seen.printed, /gnuplot/); // not installed here
});

test('a run moves nothing outside: another backend is replaced by the virtual rig', async () => {
  open('shm.yaml', GOOD.replace('backend: virtual', 'backend: shm'));
  assert.strictEqual(await seen.commands['yoke.run'](), 0);
  open('none.yaml', fs.readFileSync(path.join(EXAMPLE, '../../oscillator/oscillator.yaml'), 'utf8')); // no rig at all
  assert.strictEqual(await seen.commands['yoke.run'](), 0);
  open('sites.yaml', fs.readFileSync(path.join(EXAMPLE, '../../two-sites/two-sites.yaml'), 'utf8'));
  assert.strictEqual(await seen.commands['yoke.run'](), 2);
  assert.match(seen.printed, /both 'rig' and 'rigs'/);
});

test('a missing program is named, and marks nothing', async () => {
  const before = stub.workspace.getConfiguration;
  stub.workspace.getConfiguration = () => ({ get: (name) => ({ program: '/nowhere/yoke', budget: '1 s' })[name] });
  const document = open('missing.yaml', GOOD);
  await seen.commands['yoke.check']();
  assert.match(seen.messages.pop(), /\/nowhere\/yoke.*yoke\.program/);
  assert.ok(!seen.problems.has(document.uri.fsPath));
  stub.workspace.getConfiguration = before;
});

test('words of the user stay words on the page of a plot', () => {
  assert.ok(!core.page('<script>', '<svg/>').includes('<script>'));
});
