// Small helpers for the page. Every name of a file reaches it through textContent or an attribute, never as HTML.
import { element } from '../chart.js';

export { element, save } from '../chart.js';

const SVG = 'http://www.w3.org/2000/svg';

export function drawing(tag, attributes = {}, ...children) {
  const e = document.createElementNS(SVG, tag);

  for (const [name, value] of Object.entries(attributes))
    e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// Changes the text only where it differs: no layout, and no repeated announcement of a live region.
export function write(e, text) {
  if (e.textContent !== text)
    e.textContent = text;
}

let cards = 0;

// A card with a heading; `aside` stands at the right of it.
export function card(title, aside, ...children) {
  const id = `card-${++cards}`;

  return element('section', { class: 'card', 'aria-labelledby': id },
    element('h2', { id }, element('span', {}, title), aside ?? null), ...children);
}

// [value, words] pairs as a list to choose from.
export function choice(label, pairs, chosen, onchange) {
  return element('select', { 'aria-label': label, title: label, onchange: e => onchange?.(e.target.value) },
    ...pairs.map(([value, words]) => element('option', { value, selected: String(value) === String(chosen) }, words)));
}

// Asks before something happens that cannot be taken back. Resolves to true or false.
export function confirmed(question, explanation, yes, danger = true) {
  return new Promise(resolve => {
    const dialog = element('dialog', { 'aria-labelledby': 'dialog-title', onclose: () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    } }, element('form', { method: 'dialog' },
      element('h2', { id: 'dialog-title' }, question), element('p', {}, explanation),
      element('div', { class: 'buttons' }, element('button', { value: 'no', autofocus: true }, 'Cancel'),
        element('button', { value: 'yes', class: danger ? 'danger' : 'primary' }, yes))));

    document.body.append(dialog);
    dialog.showModal();
  });
}
