'use strict';
// The extension: commands and events of VS Code, led to core.js.
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');
const core = require('./core.js');

let diagnostics, output;

function setting(name) {
  return vscode.workspace.getConfiguration('yoke').get(name);
}

function current() {
  const editor = vscode.window.activeTextEditor;
  if (editor && core.isExperiment(editor.document.getText())) return editor.document;
  vscode.window.showWarningMessage('Yoke: the file in the editor is no experiment');
  return null;
}

async function yoke(action, document, options) {
  const file = document.uri.fsPath;
  const done = await core.call(setting('program'), core.words(action, file, options), path.dirname(file));
  if (done.code === null) vscode.window.showErrorMessage(`Yoke: ${done.err.trim()} (setting yoke.program)`);
  return done;
}

async function check(document) {
  const done = await yoke('check', document, { budget: setting('budget') });
  if (done.code === null) return [];
  const found = core.problems(done.out, document.uri.fsPath);
  const byFile = new Map([[document.uri.fsPath, []]]);
  for (const p of found) {
    const range = new vscode.Range(p.line, p.column, p.line, p.column + 200);
    const severity = p.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
    const diagnostic = new vscode.Diagnostic(range, p.message, severity);
    diagnostic.source = 'yoke';
    byFile.set(p.file, [...(byFile.get(p.file) || []), diagnostic]);
  }
  for (const [file, list] of byFile) diagnostics.set(vscode.Uri.file(file), list);
  return found;
}

async function run(document) {
  await document.save();
  const done = await yoke('run', document, { stamp: core.stamp(new Date()) });
  output.append(done.out + done.err);
  output.show(true);
  return done.code;
}

async function plot(document) {
  const found = core.newestRun(document.uri.fsPath);
  if (!found) {
    vscode.window.showInformationMessage('Yoke: this experiment has not been run yet');
    return false;
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'yoke-plot-'));
  try {
    const picture = path.join(folder, 'plot.svg');
    const done = await yoke('plot', document, { run: found, picture });
    if (done.code !== 0) {
      output.append(done.err);
      output.show(true);
      return false;
    }
    const title = path.basename(path.dirname(found));
    const panel = vscode.window.createWebviewPanel('yoke.plot', title, vscode.ViewColumn.Beside, { enableScripts: false });
    panel.webview.html = core.page(title, fs.readFileSync(picture));
    return true;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection('yoke');
  output = vscode.window.createOutputChannel('Yoke');
  const command = (name, act) => vscode.commands.registerCommand(name, () => {
    const document = current();
    return document ? act(document) : undefined;
  });
  context.subscriptions.push(diagnostics, output, command('yoke.check', check), command('yoke.run', run), command('yoke.plot', plot),
    vscode.workspace.onDidSaveTextDocument((document) =>
      setting('checkAtSave') && core.isExperiment(document.getText()) ? check(document) : undefined),
    vscode.workspace.onDidCloseTextDocument((document) => diagnostics.delete(document.uri)));
}

module.exports = { activate, deactivate() {} };
