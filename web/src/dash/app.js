// Pages and addresses: #/runs, #/run/ID/LAYOUT, #/learn.
import { element, write } from './dom.js';
import { get } from './link.js';
import { LearnView } from './learn.js';
import { RunsView } from './runs.js';
import { RunView } from './run.js';

const PAGES = [['run', 'Live'], ['runs', 'Runs'], ['learn', 'Learn']];

class App {
  constructor() {
    this.view = document.getElementById('view');
    this.nav = document.getElementById('nav');
    this.state = document.getElementById('link');
    this.alerts = document.getElementById('alerts');
    this.tools = document.getElementById('tools');
    this.alarmBox = element('div', { class: 'alert bad', hidden: true, role: 'alert' });
    this.told = element('div', { class: 'toasts', role: 'status' });
    this.alerts.append(this.alarmBox);
    document.body.append(this.told);
  }

  hash(parts) {
    return `#/${parts.map(encodeURIComponent).join('/')}`;
  }

  // Keeps the address without making a new page of it.
  address(parts) {
    history.replaceState(null, '', this.hash(parts));
    this.now = location.hash;
  }

  link(level, words) {
    this.state.dataset.level = level;
    write(this.state, words);
  }

  alarm(words, more = '') {
    this.alarmBox.hidden = !words;
    if (this.alarmBox.dataset.words !== words + more) {
      this.alarmBox.dataset.words = words + more;
      this.alarmBox.replaceChildren(words, element('span', {}, more));
    }
  }

  tell(level, words) {
    const toast = element('div', { class: `toast ${level}` }, words);

    this.told.append(toast);
    setTimeout(() => toast.remove(), 6000);
  }

  async start() {
    if (location.search)
      history.replaceState(null, '', location.pathname + location.hash); // the cookie has the token
    addEventListener('hashchange', () => location.hash !== this.now && this.go());
    await this.go();
  }

  show(page) {
    this.nav.replaceChildren(...PAGES.map(([name, words]) => element('a', { href: this.hash([name]), 'aria-current': name === page ? 'page' : null }, words)));
  }

  async go() {
    let [page, id, layout] = location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent);
    const visit = this.visit = (this.visit ?? 0) + 1, left = () => visit !== this.visit; // for another page, meanwhile

    this.now = location.hash;
    this.page?.close();
    this.alarm('');
    this.tools.replaceChildren();
    try {
      const about = await get('/api/runs');

      if (left())
        return;
      if (!page || page === 'run' && !id) {
        id = (about.runs.find(r => r.live) ?? about.runs[0])?.id;
        page = id ? 'run' : 'runs';
        this.address(id ? ['run', id] : ['runs']);
      }
      document.title = 'Yoke';
      this.show(page);
      this.page = page === 'run' ? new RunView(this, id, layout, about.controls, about.role) : page === 'learn' ? new LearnView(this, about) : new RunsView(this);
      this.view.replaceChildren(this.page.body);
      await this.page.open();
      if (!left())
        this.tools.replaceChildren(...(this.page.tools?.() ?? []));
    } catch (error) {
      if (!left())
        this.refuse(error);
    }
  }

  refuse(error) {
    this.page?.close();
    this.page = null;
    this.alarm('');
    this.link('bad', error.unreachable ? 'no connection · trying again' : 'refused');
    this.view.replaceChildren(element('p', { class: 'loading' }, error.status === 403
      ? 'The server refuses: its token is another one now. Open the address that it printed when it started.'
      : error.status === 404 ? 'This run is not known any more.' : `This page cannot be shown: ${error.message}.`));
    if (error.unreachable)
      setTimeout(() => this.go(), 2000);
  }
}

new App().start();
