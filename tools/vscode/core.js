'use strict';
// What the extension does, without VS Code: the words of the commands, places of problems, the newest run.
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

// An experiment names its schema, or has the sections that each one needs.
function isExperiment(text) {
  return /^#.*experiment\.schema\.json/m.test(text.slice(0, 400)) ||
    (/^time:/m.test(text) && /^method:/m.test(text) && /^substructures:/m.test(text));
}

// The words after `yoke`. Runs are rehearsals: whatever rig a file has, it is replaced by the virtual one, and a file with
// several rigs is refused by the program.
function words(action, file, options = {}) {
  const folder = outputOf(file);
  switch (action) {
    case 'check': return ['check', file, '--json', '--budget', options.budget || '1 s'];
    case 'run': return ['run', file, '--set', 'rig.backend=virtual', '-o', path.join(folder, options.stamp), '-q'];
    case 'plot': return ['plot', options.run, '-o', options.picture];
    default: throw new Error(`no action ${action}`);
  }
}

function outputOf(file) {
  return path.join(path.dirname(file), 'out', path.basename(file).replace(/\.ya?ml$/, ''));
}

// Folders of runs have the time of their start as name, so that the last one in the alphabet is the newest.
function newestRun(file) {
  const folder = outputOf(file);
  if (!fs.existsSync(folder)) return null;
  const runs = fs.readdirSync(folder).filter((name) => name !== 'latest' && fs.existsSync(path.join(folder, name, 'run.h5')));
  return runs.length ? path.join(folder, runs.sort().pop()) : null;
}

function stamp(now) {
  return now.toISOString().slice(0, 19).replace(/:/g, '-');
}

// Problems from the output of `yoke check --json`: {file, line, column, message, severity}, lines and columns from 0.
function problems(output, file) {
  let found;
  try {
    found = JSON.parse(output);
  } catch {
    return [{ file, line: 0, column: 0, message: 'yoke check gave no answer', severity: 'error' }];
  }
  const at = (place, message, severity) => ({
    file: place.file ? path.resolve(path.dirname(file), place.file) : file,
    line: Math.max(0, (place.line || 1) - 1), column: Math.max(0, (place.column || 1) - 1), message, severity,
  });
  const list = [];
  if (found.error) list.push(at(found.error, found.error.message, 'error'));
  for (const warning of found.warnings || []) list.push(at(warning, warning.text || warning.message, 'warning'));
  const loop = found.hybrid_loop;
  if (loop && loop.stable === false) list.push(at({}, `hybrid loop: ${loop.verdict}`, 'error'));
  else if (loop && loop.wrong) list.push(at({}, 'hybrid loop: wrong damping', 'error'));
  const verdict = found.verdict;
  if (verdict && verdict.level !== 'good')
    for (const reason of verdict.reasons || [])
      list.push(at({}, `rehearsal: ${reason.text}`, reason.level === 'unusable' ? 'error' : 'warning'));
  return list;
}

// {code, out, err}; never rejects. A program that is missing has the code null.
function call(program, args, cwd) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 64 << 20 }, (error, out, err) =>
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : null) : 0, out, err: err || (error ? error.message : '') }));
  });
}

function page(title, svg) {
  const text = title.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
  const picture = Buffer.from(svg).toString('base64'); // as an image: scripts in it are not executed
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; ` +
    `style-src 'unsafe-inline'"><title>${text}</title></head><body style="background:#fff"><img alt="${text}" ` +
    `style="max-width:100%" src="data:image/svg+xml;base64,${picture}"></body></html>`;
}

module.exports = { isExperiment, words, outputOf, newestRun, stamp, problems, call, page };
