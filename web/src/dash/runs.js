// The list of runs, those in progress first.
import { element } from './dom.js';
import { get } from './link.js';
import { colourOf } from './status.js';

const EVERY_MS = 2000;
const LEVEL = { running: 'ok', done: 'ok', tripped: 'bad', lost: 'bad' };

const row = (run, open) => element('tr', {}, element('td', {}, element('a', { href: open(run.id) }, run.title || run.name)),
  element('td', {}, element('span', { class: `pill ${LEVEL[run.state] ?? colourOf(run.live ? 'wait' : 'ok')}` }, run.state || (run.live ? 'live' : 'finished'))),
  element('td', {}, run.name), element('td', {}, (run.started ?? '').replace('T', ' ').replace(/[+-]\d{2}:?\d{2}$|Z$/, '')),
  element('td', { class: 'soft', title: run.folder }, run.folder || '–'));

export class RunsView {
  constructor(app) {
    this.app = app;
    this.rows = element('div');
    this.body = element('div', { class: 'page' }, element('h1', {}, 'Runs'), this.rows);
  }

  async open() {
    await this.load();
    this.timer = setInterval(() => this.load().catch(() => this.app.link('bad', 'connection lost · trying again')), EVERY_MS);
  }

  table(title, runs) {
    if (!runs.length)
      return null;
    return element('section', { class: 'card' }, element('h2', {}, element('span', {}, title), element('em', {}, String(runs.length))),
      element('table', { class: 'runs-table' }, element('thead', {}, element('tr', {}, ...['run', 'state', 'name', 'started', 'folder'].map(w => element('th', { scope: 'col' }, w)))),
        element('tbody', {}, ...runs.map(r => row(r, id => this.app.hash(['run', id]))))));
  }

  async load() {
    const { runs: all } = await get('/api/runs'), watched = new Set(all.filter(r => r.id.startsWith('live:')).map(r => r.folder));
    const runs = all.filter(r => r.id.startsWith('live:') || !watched.has(r.folder)), text = JSON.stringify(runs); // not twice

    this.app.link('ok', 'connected');
    if (text === this.shown)
      return;
    this.shown = text;
    const tables = [this.table('In progress', runs.filter(r => r.live)), this.table('Finished', runs.filter(r => !r.live))].filter(Boolean);

    this.rows.replaceChildren(...(tables.length ? tables : [element('section', { class: 'card empty' },
      element('p', {}, 'There is no run yet. Start one in a terminal, or try an example:'),
      element('pre', {}, 'yoke run experiment.yaml --realtime'), element('p', {}, element('a', { href: this.app.hash(['learn']) }, 'Learn: examples on the virtual rig')))]));
  }

  close() {
    clearInterval(this.timer);
  }
}
