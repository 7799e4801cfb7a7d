// Pause, resume, step and abort. What moves the actuators asks first; a pause does not, since it must be quick.
import { confirmed, element } from './dom.js';

const QUESTIONS = {
  resume: ['Resume the run?', 'The actuators follow the method again, from where the run was paused.', 'Resume', false],
  step: ['Make one step?', 'The actuators move by one system step and hold. Further steps of this pause are made without asking.', 'Step', false],
  abort: ['Abort the run?', 'The run ends here. The actuators ramp back to where they were armed; what was recorded is kept.', 'Abort the run', true],
};
const END = ['End the console?', 'The motion stops, the actuators are held where they are, and the drives are disabled.', 'End the console', true];
const ACTIVE = ['armed', 'starting', 'running', 'paused', 'ramping'];

export class Controls {
  // `send(word)` asks the server; `allowed`: does it accept orders? A console has only a motion to stop, and an end.
  constructor(send, allowed, console = false) {
    this.send = send;
    this.allowed = allowed;
    this.questions = console ? { ...QUESTIONS, abort: END } : QUESTIONS;
    const button = (word, words, style) => element('button', { type: 'button', class: style, onclick: () => this.press(word),
      title: allowed ? undefined : 'this page only shows: the server was started with --read-only, or its address is that of a viewer' }, words);

    this.pause = button('pause', 'Pause');
    this.resume = button('resume', 'Resume', 'primary');
    this.step = button('step', 'Step');
    this.abort = button('abort', 'Abort…', 'danger');
    this.body = element('div', { class: 'controls', role: 'group', 'aria-label': 'controls of the run' },
      ...(console ? [this.pause, this.abort] : [this.pause, this.resume, this.step, this.abort]));
  }

  show(status, connected) {
    const active = this.allowed && connected && status.live && ACTIVE.includes(status.state), paused = status.state === 'paused';

    this.moving = paused ? 0 : (this.moving ?? 0) + 1; // a step is over before the second status
    if (this.moving > 1)
      this.stepping = false;
    this.body.hidden = !status.live;
    this.pause.hidden = paused;
    this.resume.hidden = !paused;
    this.pause.disabled = !active || status.state !== 'running';
    this.resume.disabled = !active;
    this.step.disabled = !active || !(paused || status.state === 'running' && this.stepping);
    this.abort.disabled = !active;
  }

  async press(word) {
    const question = this.questions[word];

    if (question && !(word === 'step' && this.stepping) && !await confirmed(...question))
      return;
    if (word === 'step')
      this.stepping = true;
    this.send(word);
  }
}
