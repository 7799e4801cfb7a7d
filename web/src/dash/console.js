// The console of a rig: commands as in its terminal, and their answers. Every line goes to the console itself, which checks it.
import { card, choice, confirmed, element, write } from './dom.js';

const KEPT = 400, HISTORY = 50;
const LEVELS = [[/^(refused|failed|FAILED|TRIPPED|busy)|^ +FAIL/, 'bad'], [/^(\?|stopped)/, 'warn'], [/^ok/, 'ok'], [/^>/, 'soft']];
const QUESTIONS = {
  enable: ['Enable the drives?', 'The actuators are held where they are. After that, jog, move and home move them.', 'Enable', false],
  home: ['Move all actuators home?', 'They move to where a run begins, at the speed of the console.', 'Home', false],
};
const LEAVES = 'The connection was lost. An order that was being carried out goes on; the terminal of the console shows its answer.';

// "5 mm" to "-5 mm", and back.
const reversed = amount => amount.startsWith('-') ? amount.slice(1).trim() : `-${amount.replace(/^\+/, '')}`;
const exampleOf = a => a?.command === 'force' ? a.rotary ? '10 N m' : '1 kN' : a?.rotary ? '1 deg' : '1 mm';

export class Console {
  // `about`: the description of the run; `send(message)` returns whether it was sent.
  constructor(about, send, allowed) {
    this.send = send;
    this.allowed = allowed;
    this.request = 0;
    this.pending = new Map();
    this.history = [];
    this.recalled = 0;
    this.state = element('em');
    this.log = element('div', { class: 'console-log', role: 'log', tabindex: '0', 'aria-label': 'answers of the console' });
    this.stop = element('button', { type: 'button', class: 'danger stop', onclick: () => this.give('stop'),
      title: 'stop the motion and hold (Esc). No emergency stop: use the one of the rig' }, 'STOP');
    const offered = about.console.commands ?? [];

    this.body = card('Console', this.state, this.orders(), this.moves(about.actuators ?? []), this.log, this.line(),
      element('datalist', { id: 'console-commands' }, ...offered.map(c => element('option', { value: c.name }, `${c.args} – ${c.words}`))));
    this.body.classList.add('console');
    this.body.addEventListener('keydown', e => e.key === 'Escape' && this.give('stop'));
    this.lines = about.console.lines ?? [];
    this.body.querySelector('.console-bar').append(...this.lamp());
    this.say('soft', 'Nothing moves before enable. Commands are those of the terminal; help lists them.');
    this.enable(false);
  }

  button(words, order, name) {
    return element('button', { type: 'button', 'aria-label': name, onclick: order }, words);
  }

  orders() {
    const plain = [['Enable', 'enable'], ['Disable', 'disable'], ['Home', 'home'], ['Tare', 'tare'], ['Status', 'status'], ['Reset', 'reset']];

    return element('div', { class: 'console-bar', role: 'group', 'aria-label': 'orders' }, this.stop,
      ...plain.map(([words, order]) => this.button(words, () => this.ask(order))));
  }

  // An output line and its level.
  lamp() {
    if (!this.lines.length)
      return [];
    const name = choice('output line', this.lines.map(n => [n, n])), level = choice('level', [['on', 'on'], ['off', 'off'], ['auto', 'auto']], 'auto');

    return [element('span', { class: 'console-line' }, name, level, this.button('Set line', () => this.give(`line ${name.value} ${level.value}`)))];
  }

  moves(actuators) {
    const which = choice('actuator', actuators.map(a => [a.name, a.name]), '', () => this.suggest(actuators, which.value));
    const amount = this.amount = element('input', { 'aria-label': 'amount or position with its unit', autocomplete: 'off' });
    const speed = element('input', { 'aria-label': 'speed with its unit', placeholder: 'speed', autocomplete: 'off' });
    const go = (word, x) => x ? this.give(`${word} ${which.value} ${x} ${speed.value.trim()}`.trim()) : amount.focus();
    const value = () => amount.value.trim();

    this.suggest(actuators, which.value);
    return element('div', { class: 'console-bar', role: 'group', 'aria-label': 'motion' }, which, amount, speed,
      this.button('Jog −', () => go('jog', value() && reversed(value())), 'jog backwards by the amount'),
      this.button('Jog +', () => go('jog', value()), 'jog forwards by the amount'),
      this.button('Move', () => go('move', value()), 'move to the position'));
  }

  suggest(actuators, name) {
    this.amount.placeholder = exampleOf(actuators.find(a => a.name === name));
  }

  line() {
    this.text = element('input', { 'aria-label': 'command', placeholder: 'command, such as: enable; move a1 5 mm', list: 'console-commands', maxlength: 500,
      autocomplete: 'off', spellcheck: 'false', onkeydown: e => this.recall(e) });
    return element('form', { class: 'note', onsubmit: e => {
      e.preventDefault();
      if (this.text.value.trim() && this.give(this.text.value.trim()))
        this.text.value = '';
    } }, this.text, element('button', {}, 'Send'));
  }

  // The arrow keys go through earlier lines.
  recall(e) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];

    if (!step || !this.history.length)
      return;
    e.preventDefault();
    this.recalled = Math.max(0, Math.min(this.recalled + step, this.history.length));
    this.text.value = this.history[this.recalled] ?? '';
  }

  async ask(order) {
    if (!QUESTIONS[order] || await confirmed(...QUESTIONS[order]))
      this.give(order);
  }

  give(line) {
    const request = ++this.request;

    if (!this.allowed || !this.send({ console: { request, line } }))
      return false;
    if (line !== 'stop')
      this.pending.set(request, line);
    else
      this.say('soft', '> stop');
    if (line !== this.history.at(-1))
      this.history.push(line);
    this.history.splice(0, this.history.length - HISTORY);
    this.recalled = this.history.length;
    this.show();
    return true;
  }

  // An answer: more lines of it, and at the end the exit code.
  take({ request, lines, code }) {
    for (const words of lines) {
      this.say(LEVELS.find(([form]) => form.test(words))?.[1] ?? '', words);
      const sure = /`(tare! [^`]+)`/.exec(words);

      if (sure && !this.text.value) // one key away, but not without reading
        this.text.value = sure[1];
    }
    if (code !== null)
      this.pending.delete(request);
    this.show();
  }

  say(level, words) {
    const end = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;

    this.log.append(element('p', { class: level }, words));
    if (this.log.childElementCount > KEPT)
      this.log.firstElementChild.remove();
    if (end)
      this.log.scrollTop = this.log.scrollHeight;
  }

  show() {
    const [order] = [...this.pending.values()].slice(-1);

    write(this.state, !this.allowed ? 'read-only' : order ? `carrying out: ${order}` : '');
    this.body.dataset.state = order ? 'busy' : '';
  }

  // `open`: the console listens and may be commanded.
  enable(open) {
    if (!open && this.pending.size) {
      this.pending.clear();
      this.say('warn', LEAVES);
    }
    for (const e of this.body.querySelectorAll('button, input, select'))
      e.disabled = !open || !this.allowed;
    this.show();
  }
}
