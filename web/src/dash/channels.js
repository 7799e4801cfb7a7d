// The list of channels: search, current values, drag into a plot or press Enter. Only the rows in sight are in the page,
// so that a run may have any number of channels.
import { element, write } from './dom.js';
import { number, unitFor } from '../format.js';

const ROW = 27; // height of a row in px, as in dash.css
const NOTHING = 1e-9; // of the largest value so far: rounding
export const CHANNEL_TYPE = 'application/x-yoke-channel';

export class ChannelList {
  // `choose(key)`: Enter or a double click; `value(channel)`: the newest value; `visible(channels)`: those in sight.
  constructor({ choose, value, visible }) {
    this.value = value;
    this.choose = choose;
    this.onVisible = visible;
    this.all = this.shown = [];
    this.active = -1;
    this.count = element('em');
    this.search = element('input', {
      type: 'search', placeholder: 'search, or drag into a plot', 'aria-label': 'search channels',
      autocomplete: 'off', spellcheck: 'false', oninput: () => this.filter(), onkeydown: e => this.key(e),
    });
    this.rows = element('div', { class: 'channel-rows' });
    this.list = element('div', {
      class: 'channel-list', role: 'listbox', tabindex: '0', 'aria-label': 'channels; Enter adds one to the plots',
      onscroll: () => this.draw(), onkeydown: e => this.key(e),
    }, this.rows);
    this.body = element('div', { class: 'channels' }, this.search, this.list);
  }

  set(channels) {
    this.all = channels.map(c => ({ ...c, text: `${c.words} ${c.name} ${c.unit}`.toLowerCase() }));
    this.filter();
  }

  filter() {
    const parts = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);

    this.shown = this.all.filter(c => parts.every(p => c.text.includes(p)));
    this.active = -1;
    this.rows.style.height = `${this.shown.length * ROW}px`;
    write(this.count, this.shown.length === this.all.length ? String(this.all.length)
      : `${this.shown.length} of ${this.all.length}`);
    this.draw();
  }

  key(event) {
    const page = Math.max(Math.floor(this.list.clientHeight / ROW) - 1, 1);
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];

    if (move && this.shown.length) {
      this.active = Math.min(Math.max(this.active + move, 0), this.shown.length - 1);
      const top = this.active * ROW, list = this.list;

      if (top < list.scrollTop)
        list.scrollTop = top;
      else if (top + ROW > list.scrollTop + list.clientHeight)
        list.scrollTop = top + ROW - list.clientHeight;
      this.draw();
    } else if (event.key === 'Enter' && this.shown.length) {
      this.choose(this.shown[Math.max(this.active, 0)].key);
    } else {
      return;
    }
    event.preventDefault();
  }

  row(channel, i) {
    const row = element('div', {
      class: 'channel', role: 'option', id: `channel-${i}`, draggable: 'true', title: `${channel.name} · drag into a plot, double click adds`,
      'aria-selected': String(i === this.active), 'aria-setsize': this.shown.length, 'aria-posinset': i + 1,
      ondragstart: e => {
        e.dataTransfer.setData(CHANNEL_TYPE, channel.key);
        e.dataTransfer.setData('text/plain', channel.name);
        e.dataTransfer.effectAllowed = 'copy';
      },
      onclick: () => { this.active = i; this.draw(); },
      ondblclick: () => this.choose(channel.key),
    }, element('span', { class: 'words' }, channel.words, channel.rate && channel.rate !== 'system' ? element('small', {}, ` ${channel.rate}`) : null), element('span', { class: 'value' }));

    row.style.top = `${i * ROW}px`;
    return row;
  }

  // The rows in sight; called after scrolling and searching.
  draw() {
    const first = Math.max(Math.floor(this.list.scrollTop / ROW) - 2, 0);
    const last = Math.min(first + Math.ceil((this.list.clientHeight || 300) / ROW) + 4, this.shown.length);

    this.visible = this.shown.slice(first, last);
    this.onVisible(this.visible);
    this.rows.replaceChildren(...this.visible.map((c, i) => this.row(c, first + i)));
    if (this.active >= 0)
      this.list.setAttribute('aria-activedescendant', `channel-${this.active}`);
    else
      this.list.removeAttribute('aria-activedescendant');
    this.refresh();
  }

  // Their values.
  refresh() {
    this.visible?.forEach((channel, i) => {
      const x = this.value(channel), row = this.rows.children[i];

      if (x === undefined || !row)
        return;
      channel.largest = Math.max(channel.largest ?? 0, Math.abs(x) || 0);
      const scale = unitFor(channel.unit, channel.largest);

      write(row.lastChild, `${number(Math.abs(x) < NOTHING * channel.largest ? 0 : x * scale.factor)} ${scale.unit}`);
    });
  }
}
