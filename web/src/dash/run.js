// The page of one run: header, structure and channels, plots and scope, safety and quality. Draws at most 30 pictures
// a second, and only while the page is visible.
import { card, choice, element, write } from './dom.js';
import { ChannelList } from './channels.js';
import { Console } from './console.js';
import { Controls } from './controls.js';
import { Gauges } from './gauges.js';
import { defaultPanels, Panels } from './panels.js';
import { Scope } from './scope.js';
import { colourOf, EventsCard, LatenessCard, lateness, QualityCard, StateCard } from './status.js';
import { fromAddress, fromFile, toAddress, toFile } from './layout.js';
import { labelOf } from './curves.js';
import { duration, fixed, number, quantity, rate } from '../format.js';
import { get } from './link.js';
import { sketch } from '../sketch.js';
import { Store } from './store.js';

const FRAME_MS = 1000 / 30, WINDOWS = [2, 5, 10, 20, 60, 180, 600], OFFERED = 3000;

export class RunView {
  // `app`: { tell(level, words), address(parts), link(level, words) }
  constructor(app, id, layout, controls, role) {
    this.app = app;
    this.id = id;
    this.wanted = layout;
    this.allowed = controls;
    this.commands = controls && role === 'engineer'; // the console of a rig
    this.store = new Store(id);
    this.body = element('div', { class: 'run' }, element('p', { class: 'loading' }, 'Loading the run …'));
  }

  async open() {
    await this.store.open();
    if (this.over)
      return;
    this.build();
    const { store } = this;

    store.addEventListener('status', () => this.status());
    store.addEventListener('events', () => this.events.show(store.events));
    store.addEventListener('link', () => {
      this.status();
      if (!store.connected)
        get('/api/runs').catch(error => error.status === 403 && this.app.refuse(error)); // a server that was started again
    });
    store.addEventListener('control', e => {
      if (!e.detail.accepted)
        this.app.tell('warn', `${e.detail.word}: ${e.detail.words}`);
    });
    store.addEventListener('console', e => this.console?.take(e.detail));
    store.addEventListener('error', e => this.app.tell('warn', e.detail.words));
    this.timer = setInterval(() => this.pulse(), 250);
    this.draw = this.draw.bind(this);
    this.frame = requestAnimationFrame(this.draw);
  }

  build() {
    const { about } = this.store, live = about.live;

    this.layout = fromAddress(this.wanted);
    this.store.windowLength = this.layout?.window_s ?? 10;
    this.panels = new Panels(this.store, () => this.changed());
    this.scope = live ? new Scope(this.store, this.layout?.scope, () => this.changed()) : null;
    this.list = new ChannelList({ choose: key => this.panels.addChannel(key), value: c => this.store.newest(c),
      visible: channels => this.store.use(this.list, channels) });
    this.gauges = new Gauges();
    this.state = new StateCard(about.states);
    this.quality = new QualityCard();
    this.late = new LatenessCard();
    this.events = new EventsCard(text => this.store.link.send({ note: { text } }), this.allowed && live);
    this.events.show([]);
    this.controls = new Controls(word => this.store.link.send({ control: { word, confirm: true } }), this.allowed, Boolean(about.console));
    this.console = live && about.console ? new Console(about, message => this.store.link.send(message), this.commands) : null;
    this.quality.body.hidden = Boolean(about.console); // nothing is computed
    const structure = sketch(about.sketch, { small: true }), channels = card('Channels', this.list.count, this.list.body);

    channels.classList.add('channel-card');
    this.left = element('div', { class: 'left', id: 'side' }, structure ? card('Structure', null, structure) : null, channels);
    this.body.replaceChildren(this.header(), element('div', { class: 'board' }, this.left,
      element('div', { class: this.console ? 'centre with-console' : 'centre' }, this.panels.body, this.console?.body, this.scope?.body),
      element('div', { class: 'right', tabindex: '0', role: 'region', 'aria-label': 'safety and quality' },
        this.state.body, this.gauges.body, this.quality.body, this.late.body, this.events.body)),
    element('datalist', { id: 'channel-names' }, ...this.store.channels.slice(0, OFFERED)
      .map(c => element('option', { value: c.name }, labelOf(c)))));
    const streams = about.streams;

    this.list.set(this.store.channels.filter(c => c.kind !== 'time').map(c => ({ ...c, words: labelOf(c), rate: streams[c.stream]?.name })));
    this.panels.set(this.layout?.panels ?? defaultPanels(this.store));
    document.title = `${about.title || about.name} · Yoke`;
  }

  header() {
    const { about } = this.store, fact = name => {
      const value = element('dd');

      this.facts[name] = value;
      return element('div', {}, element('dt', {}, name), value);
    };

    this.facts = {};
    this.pill = element('span', { class: 'pill', role: 'status', 'aria-label': 'state' });
    this.bar = element('i');
    this.track = element('div', { class: 'track', role: 'progressbar', 'aria-label': 'progress of the test', 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.bar);
    this.left_s = element('small');
    const what = [about.method?.replace(/ \(.*/, ''), about.step_s && quantity(about.step_s, 's'),
      about.substeps > 1 && `${about.substeps} substeps`, about.live ? null : 'recording'].filter(Boolean).join(' · ');
    const side = element('button', { type: 'button', class: 'side-button', 'aria-expanded': 'false', 'aria-controls': 'side', onclick: () => {
      const open = this.body.classList.toggle('side-open');

      side.setAttribute('aria-expanded', String(open));
    } }, 'Channels');

    return element('div', { class: 'runbar' }, side,
      element('div', { class: 'what' }, element('h1', { title: about.title }, about.title || about.name), element('p', { title: about.method }, what)),
      this.pill, element('div', { class: 'progress', hidden: Boolean(about.console) }, this.track, this.left_s), // a console has no end
      element('dl', { class: 'facts' }, fact('control rate'), fact('deadlines missed'), fact('late, 99 %')), this.controls.body);
  }

  // What stands in the top bar while this page is shown.
  tools() {
    const menu = element('select', { 'aria-label': 'layout', onchange: () => {
      const { value } = menu;

      menu.value = '';
      ({ save: () => toFile(this.current, this.store.about.name || 'yoke'),
        load: () => fromFile(layout => this.use(layout), words => this.app.tell('warn', words)),
        copy: () => navigator.clipboard?.writeText(location.href).then(() => this.app.tell('ok', 'The address of this layout was copied.')),
        standard: () => this.use({ version: 1, window_s: 10, panels: defaultPanels(this.store), scope: null }) })[value]?.();
    } }, ...[['', 'Layout'], ['save', 'Save as a file'], ['load', 'Load a file'], ['copy', 'Copy the address'], ['standard', 'Standard layout']]
      .map(([value, words]) => element('option', { value }, words)));
    const add = choice('add a plot', [['', 'Add a plot'], ['time', 'Curves over time'], ['loop', 'Loop (x, y)'], ['spectrum', 'Spectrum']], '', kind => {
      add.value = '';
      if (kind)
        this.addPanel(kind);
    });

    this.freezer = element('button', { type: 'button', 'aria-pressed': 'false', onclick: () => {
      this.frozen = !this.frozen;
      this.freezer.setAttribute('aria-pressed', String(this.frozen));
    }, title: 'hold the plots still; the run goes on' }, 'Freeze');
    if (!this.store.about.live)
      return [add, menu];
    return [choice('shown time', WINDOWS.map(s => [s, `last ${s < 60 ? `${s} s` : `${s / 60} min`}`]), this.store.windowLength, v => {
      this.store.setWindow(Number(v));
      this.changed();
    }), this.freezer, add, menu];
  }

  addPanel(kind) {
    const { specs } = this.panels, first = specs[0]?.curves[0] ?? this.store.channels[0]?.key;

    this.panels.add({ kind, curves: [first], ...(kind === 'loop' ? { x: first } : {}) });
    this.panels.panels.at(-1).edit();
  }

  get current() {
    return { version: 1, window_s: this.store.windowLength, panels: this.panels.specs, scope: this.scope?.settings ?? null };
  }

  use(layout) {
    this.store.setWindow(layout.window_s);
    this.panels.set(layout.panels);
    this.scope?.load(layout.scope);
    this.changed();
  }

  changed() {
    this.app.address(['run', this.id, toAddress(this.current)]);
  }

  status() {
    const { status, about, connected } = this.store;

    if (!status)
      return;
    const early = status.state === 'done' && !status.live && status.time_s < 0.999 * status.end_s, timing = status.timing ?? {}, late99 = lateness(timing, 0.99);

    write(this.pill, early ? 'ended early' : status.state);
    this.pill.className = `pill ${early ? 'warn' : colourOf(status.level)}`;
    this.pill.title = status.degraded ? 'the machine does not meet the needs of real time' : '';
    const share = status.end_s > 0 ? Math.min(status.time_s / status.end_s, 1) : 0;

    this.bar.style.width = `${100 * share}%`;
    this.track.setAttribute('aria-valuenow', Math.round(100 * share));
    write(this.left_s, `${number(status.time_s, status.time_s >= 10 ? 4 : 3)} s of ${Number((status.end_s ?? 0).toPrecision(6))} s`
      + (status.live && status.left_s > 0 ? ` · ${duration(status.left_s)} left` : ''));
    write(this.facts['control rate'], about.control_rate_hz || about.step_s ? `${rate(about.control_rate_hz || 1 / about.step_s)} Hz` : '–');
    write(this.facts['deadlines missed'], timing.paced ? fixed(timing.missed, 0) : 'not paced');
    this.facts['deadlines missed'].className = timing.missed ? 'warn' : '';
    write(this.facts['late, 99 %'], timing.paced && late99 !== null ? quantity(late99, 's', 2) : '–');
    this.state.show(status);
    this.gauges.show(status);
    this.quality.show(status, about.summary?.hybrid_loop?.margin_s);
    this.late.show(status);
    this.controls.show(status, connected);
    this.scope?.enable(status.live && connected);
    this.console?.enable(status.live && connected);
    this.body.dataset.level = status.level;
    this.trip(status);
  }

  trip(status) {
    this.app.alarm(status.trip ? `Tripped: ${status.trip.words}`
      : status.verdict?.level === 'unusable' ? `The results are unusable: ${status.verdict.reason}` : status.state === 'lost' || status.level === 'bad' && !status.live
      ? 'The process of the run is gone: its actuators are on their own.' : '', status.trip?.action ? `Action: ${status.trip.action}.` : '');
  }

  // Four times a second: values of the list, and whether the data are fresh.
  pulse() {
    const { store } = this, live = store.status?.live ?? store.about.live;

    this.list.refresh();
    if (!store.connected)
      this.app.link('bad', `connection lost${store.heard ? `, data are ${duration(store.silence)} old` : ''} · reconnecting`);
    else if (!live)
      this.app.link('ok', store.about.live ? 'run has ended' : 'recording');
    else if (store.isStale)
      this.app.link('bad', `stale: nothing heard for ${duration(store.silence)}`);
    else if (store.status?.age_s > 2 && store.status.state === 'running')
      this.app.link('warn', `newest sample is ${duration(store.status.age_s)} old`);
    else if (store.status?.lost > 0)
      this.app.link('warn', `live · ${fixed(store.status.lost, 0)} rows skipped here; the recording has them`);
    else
      this.app.link('ok', 'live');
    this.body.classList.toggle('stale', live && store.isStale);
  }

  draw(now) {
    this.frame = requestAnimationFrame(this.draw);
    if (this.frozen || now - (this.last ?? 0) < FRAME_MS - 2)
      return;
    this.last = now;
    this.panels.update();
    this.scope?.update();
  }

  close() {
    this.over = true;
    clearInterval(this.timer);
    cancelAnimationFrame(this.frame);
    this.panels?.close();
    this.scope?.close();
    this.store.close();
  }
}
