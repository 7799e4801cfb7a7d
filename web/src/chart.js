// One chart in the house style, drawn by uPlot.
//
//   const c = chart(host, {                  host: an element; the chart fills its width
//     title: 'Displacement',                 the display unit is added: "Displacement [mm]"
//     unit: 'm',                             of the y values; data are always SI, only their labels are converted
//     kind: 'time',                          'time' (default: curves over x), 'xy' (loops), 'bars'
//     x: { label: 'time', unit: 's', log },  the defaults; log: logarithmic axis; labels: texts at 0, 1, 2, ...
//     y: { log, zero, min, max, bare },      zero: the range contains 0; min, max: fixed ends; bare: grid without numbers;
//                                            decades: most that a logarithmic axis shows
//     series: [{ label: 'a1, target',        in words
//                raw: 'a1.target',           raw channel name: tooltip of the legend, header of the exported table
//                role: 'target',             a key of `roles` below, or 'other' with index: 0, 1, ...
//                gain, unit }],              drawn as value / gain, read out in its own unit: channels of a scope
//     link: 'time',                          charts with the same word share zoom and cursor
//     height: 190, note: 'last 4 s',         note: small words at the right of the title; height 'fill': that of the host
//     live: true,                            the legend shows the newest value while the cursor is elsewhere
//     marks: [{ value: 0.2, label: 'limit' }],   horizontal lines, drawn dashed
//     flags: [{ at: 3.2, label: 'pause' }],      vertical lines
//   });
//   c.set(data)           time, bars: [x, y1, y2, ...]; xy: [[x1, y1], [x2, y2], ...]; any kind of array; NaN is a gap
//   c.range(min, max)     shows this part of x; without arguments everything. c.zoomed: has the user zoomed? c.reset(): as
//                         a double click, this chart and the linked ones
//   c.reseries(series)    other curves; call set afterwards
//   c.note(text)          c.png() -> canvas      c.csv() -> text      c.destroy()
//
// Mouse: drag zooms, double click shows all. Keys on the plot: left and right move the read-out (with shift: the shown
// part), + and - zoom, Escape shows all. A y range is kept while the data fit and fill a quarter of it, so that it does
// not jump.
import uPlot from 'uplot';
import { number, ticks, unitFor } from './format.js';

// The target is wide and pale, so that the thin measured curve on top of it leaves both visible.
export const roles = {
  target: { colour: 'computed', width: 5, alpha: 0.35 },
  computed: { colour: 'computed', width: 1.5 },
  measured: { colour: 'measured', width: 1.2 },
  command: { colour: 'other-1', width: 1.2, dash: [6, 3] },
  reference: { colour: 'reference', width: 1.3, dash: [5, 4] },
  error: { colour: 'measured', width: 1.2 },
  last: { colour: 'other-5', width: 4, alpha: 0.4 },
};
const others = ['computed', 'other-1', 'other-2', 'other-3', 'other-4', 'other-5']; // not that of what is measured
const dashes = [[], [8, 3], [2, 3], [8, 3, 2, 3]];

export function styleOf(series) {
  if (roles[series.role]) return roles[series.role];
  const i = series.index || 0;
  return { colour: others[i % others.length], width: 1.4, dash: dashes[Math.floor(i / others.length) % dashes.length] };
}

let colours = {};
export function colour(name) {
  return colours[name] ??= getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

const all = new Set();          // charts on the page
const groups = new Map();       // link -> charts
const font = '11px system-ui, sans-serif';

function repaint() {
  colours = {};
  for (const c of all) c.repaint();
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
// On paper: light, and as wide as an A4 page inside its margins.
addEventListener('beforeprint', () => { document.documentElement.dataset.print = ''; for (const c of all) c.paper(true); repaint(); });
addEventListener('afterprint', () => { delete document.documentElement.dataset.print; for (const c of all) c.paper(false); repaint(); });

export function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else if (key === 'class') e.className = value;
    else e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  const a = element('a', { href: url, download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Keeps [low, high] while the data fit and fill a quarter of it. */
export function steady(old, min, max, zero) {
  if (!(min <= max)) return old || [-1, 1];
  if (zero) { min = Math.min(min, 0); max = Math.max(max, 0); }
  const span = max - min || Math.abs(max) || 1;
  if (old && min >= old[0] && max <= old[1] && span > 0.25 * (old[1] - old[0])) return old;
  const pad = 0.06 * span;
  return [zero && min === 0 ? 0 : min - pad, zero && max === 0 ? 0 : max + pad];
}

const gaps = values => {
  for (let i = 0; i < values.length; i++)
    if (!Number.isFinite(values[i])) return Array.from(values, v => Number.isFinite(v) ? v : null);
  return values;
};

export function chart(host, options) {
  return new Chart(host, options);
}

class Chart {
  constructor(host, options) {
    this.host = host;
    this.o = { kind: 'time', height: 190, series: [], ...options };
    this.o.x = { label: 'time', unit: 's', ...options.x };
    this.o.y = { ...options.y };
    this.hidden = new Set();
    this.zoomed = false;
    this.data = null;
    const name = this.o.title || this.o.series.map(s => s.label).join(', ');
    this.caption = element('span', { class: 'as-is' });
    this.noteText = element('em', {}, this.o.note || '');
    const tools = element('span', { class: 'tools' },
      element('button', { type: 'button', title: 'save this panel as a picture', 'aria-label': `PNG: save ${name} as a picture`,
        onclick: () => this.png().toBlob(b => save(this.fileName('png'), b)) }, 'PNG'),
      element('button', { type: 'button', title: 'save the data of this panel as a table', 'aria-label': `CSV: save the data of ${name}`,
        onclick: () => save(this.fileName('csv'), new Blob([this.csv()], { type: 'text/csv' })) }, 'CSV'));
    this.plot = element('div', { class: 'plot', tabindex: 0, role: 'group',
      'aria-label': `${name}: plot. Left and right move the read-out, plus and minus zoom, Escape shows all.`,
      onkeydown: e => this.key(e) });
    this.legend = element('ul', { class: 'legend' });
    this.spoken = element('span', { class: 'sr', 'aria-live': 'polite' });
    this.figure = element('figure', { class: this.o.height === 'fill' ? 'chart fill' : 'chart' },
      element('figcaption', {}, element('span', {}, this.o.title || '', ' ', this.caption), this.noteText, tools),
      this.plot, this.legend, this.spoken);
    host.append(this.figure);
    all.add(this);
    if (this.o.link) {
      if (!groups.has(this.o.link)) groups.set(this.o.link, new Set());
      groups.get(this.o.link).add(this);
    }
    this.resizer = new ResizeObserver(() => this.fit());
    this.resizer.observe(this.plot);
    this.reseries(this.o.series);
  }

  get fileBase() { return (this.o.title || 'chart').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, ''); }
  fileName(ending) { return `${this.fileBase || 'chart'}.${ending}`; }
  note(text) { this.noteText.textContent = text; }

  reseries(series) {
    this.o.series = series;
    this.u?.destroy();
    this.u = null;
    this.data = null;
    this.legend.replaceChildren();
    this.values = series.map((s, i) => {
      const value = element('b');
      const style = styleOf(s);
      const mark = element('i');
      mark.style.background = `var(--${style.colour})`;
      mark.style.height = style.width > 3 ? '5px' : '2px';
      mark.style.opacity = style.alpha ?? 1;
      if (style.dash?.length) mark.style.background = `repeating-linear-gradient(90deg,var(--${style.colour}) 0 4px,transparent 4px 6px)`;
      const button = element('button', { type: 'button', 'aria-pressed': 'true', title: s.raw ? `${s.raw}: click to hide or show` : undefined,
        onclick: () => {
          this.hidden.has(i) ? this.hidden.delete(i) : this.hidden.add(i);
          button.setAttribute('aria-pressed', String(!this.hidden.has(i)));
          this.u?.setSeries(i + 1, { show: !this.hidden.has(i) });
        } }, s.label);
      this.legend.append(element('li', {}, mark, button, value));
      return value;
    });
  }

  set(data) {
    const xy = this.o.kind === 'xy';
    this.data = xy ? data.map(([x, y]) => [gaps(x), gaps(y)]) : data.map(gaps);
    const empty = xy ? !data.some(([x]) => x.length) : !data[0]?.length;
    if (empty) return;
    const given = xy ? [null, ...this.data] : this.data.map((values, i) => {
      const gain = i && this.o.series[i - 1].gain;
      return gain ? Array.from(values, v => v === null ? null : v / gain) : values;
    });
    this.findUnits();
    if (!this.u) this.create(given);
    else if (this.zoomed || this.shown) {
      this.u.setData(given, false);
      this.rescale();
    } else this.u.setData(given);
    if (this.o.live && this.u.cursor.left < 0) this.read(null);
  }

  rescale() {
    const { min, max } = this.shown || this.u.scales.x;
    this.u.setScale('x', { min, max });
  }

  findUnits() {
    const peak = values => { let p = 0; for (const v of values) { const a = Math.abs(v); if (a > p && a < Infinity) p = a; } return p; };
    const xs = this.o.kind === 'xy' ? this.data.map(d => d[0]) : [this.data[0].length ? [this.data[0][0], this.data[0].at(-1)] : []];
    const ys = this.o.kind === 'xy' ? this.data.map(d => d[1]) : this.data.slice(1);
    const most = list => Math.max(0, ...list.map(peak));
    this.units = this.o.series.map((s, i) => s.gain ? unitFor(s.unit, Math.max(4 * s.gain, peak(ys[i]))) : null);
    this.xUnit = this.o.x.unit === 's' && this.o.kind === 'time' && most(xs) >= 0.5 ? { unit: 's', factor: 1 }
      : unitFor(this.o.x.unit, most(xs));
    const y = Math.max(most(ys), Math.abs(this.o.y.min ?? 0), Math.abs(this.o.y.max ?? 0));
    if (!this.yUnit || y * this.yUnit.factor > 2000 || y * this.yUnit.factor < 0.5) this.yUnit = unitFor(this.o.unit, y);
    this.caption.textContent = (this.yUnit.unit ? `[${this.yUnit.unit}]` : '') + (this.o.kind === 'time' ? ''
      : ` over ${this.o.x.label}${this.xUnit.unit ? ` [${this.xUnit.unit}]` : ''}`);
  }

  axis(scale) {
    const units = () => scale === 'x' ? this.xUnit : this.yUnit;
    const own = this.o[scale];
    return { scale, font, stroke: () => colour('soft'), size: scale === 'x' ? 26 : own.bare ? 12 : 52, gap: 4,
      space: scale === 'x' ? 60 : own.bare ? 8 : this.o.height === 'fill' ? 22 : 24, ...(own.bare ? { incrs: [1] } : {}),
      grid: { stroke: () => colour('line'), width: 1 }, ticks: { show: false },
      values: (u, splits) => own.labels ? splits.map(v => own.labels[v] ?? '') : own.bare ? splits.map(() => '') : own.log ? splits.map(v => v === null ? null : number(v * units().factor, 1)) : ticks(splits.map(v => v * units().factor)) };
  }

  create(given) {
    const { o } = this, xy = o.kind === 'xy';
    const yRange = (u, min, max) => {
      if (o.y.min !== undefined && o.y.max !== undefined) return [o.y.min, o.y.max];
      if (o.y.log) {
        const top = max > 0 ? 10 ** Math.ceil(Math.log10(max * 1.0001)) : 1, bottom = min > 0 ? 10 ** Math.floor(Math.log10(min)) : 0.1;
        return [o.y.min ?? Math.min(top / 10, Math.max(bottom, o.y.decades ? top / 10 ** o.y.decades : 0)), top];
      }
      this.old = steady(this.old, min, max, o.y.zero);
      return [o.y.min ?? this.old[0], o.y.max ?? this.old[1]];
    };
    const series = o.series.map((s, i) => {
      const style = styleOf(s);
      const common = { label: s.label, show: !this.hidden.has(i), stroke: () => colour(style.colour), width: style.width,
        alpha: style.alpha ?? 1, dash: style.dash, points: { show: false }, scale: 'y' };
      if (xy) return { ...common, facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }], paths: (u, k) => this.loop(u, k, style) };
      if (o.kind === 'bars') return { ...common, fill: () => colour(style.colour), width: 0, paths: uPlot.paths.bars({ size: [0.9, 100] }) };
      return { ...common, spanGaps: false };
    });
    this.u = new uPlot({
      width: this.width(), height: this.height(), mode: xy ? 2 : 1, legend: { show: false }, padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, distr: o.x.log ? 3 : 1, ...(xy ? { range: (u, min, max) => steady(null, min, max) } : {}),
          ...(o.kind === 'bars' ? { range: (u, min, max) => this.barRange(min, max) } : {}) },
        y: { distr: o.y.log ? 3 : 1, range: yRange } },
      axes: [this.axis('x'), this.axis('y')],
      series: [xy ? null : {}, ...series],
      cursor: {
        y: xy, drag: { x: true, y: xy, uni: 10, dist: 4 }, focus: { prox: -1 },
        ...(xy ? { dataIdx: (u, k) => this.nearest(u, k) } : {}),
        points: { size: 7, width: 1.5, fill: () => colour('card') },
        ...(o.link ? { sync: { key: o.link, setSeries: false, scales: ['x', null],
          filters: { pub: type => /move|leave|enter/.test(type), sub: type => /move|leave|enter/.test(type) } } } : {}),
      },
      hooks: {
        setCursor: [u => this.read(u)],
        setScale: [(u, key) => key === 'x' && this.share()],
        setSelect: [u => { if (u.select.width > 0) { this.zoomed = true; this.shown = null; } }],
        drawAxes: [u => this.lines(u)],
      },
    }, given, this.plot);
    // Double click: uPlot shows everything; remember that, before it does.
    this.u.over.addEventListener('dblclick', () => this.reset(), true);
  }

  barRange(min, max) {
    const x = this.data[0];
    if (this.o.x.log) return [min, max];
    const half = x.length > 1 ? (x[1] - x[0]) / 2 : 0.5;
    return [min - half, max + half];
  }

  /* A curve whose x may turn back. */
  loop(u, k, style) {
    uPlot.orient(u, k, (series, dataX, dataY, scaleX, scaleY, toX, toY, left, top, width, height) => {
      const g = u.ctx;
      g.save();
      g.beginPath();
      g.rect(left, top, width, height);
      g.clip();
      g.beginPath();
      g.strokeStyle = colour(style.colour);
      g.globalAlpha = style.alpha ?? 1;
      g.lineWidth = style.width * devicePixelRatio;
      g.lineJoin = 'round';
      g.setLineDash((style.dash || []).map(d => d * devicePixelRatio));
      let pen = false;
      for (let i = 0; i < dataX.length; i++) {
        if (dataX[i] === null || dataY[i] === null) { pen = false; continue; }
        const x = toX(dataX[i], scaleX, width, left), y = toY(dataY[i], scaleY, height, top);
        pen ? g.lineTo(x, y) : g.moveTo(x, y);
        pen = true;
      }
      g.stroke();
      g.restore();
    });
    return null;
  }

  nearest(u, k) {
    const { left, top } = u.cursor, [xs, ys] = this.data[k - 1];
    if (left < 0) return null;
    let best = null, least = Infinity;
    for (let i = 0; i < xs.length; i++) {
      const dx = u.valToPos(xs[i], 'x') - left, dy = u.valToPos(ys[i], 'y') - top, d = dx * dx + dy * dy;
      if (d < least) { least = d; best = i; }
    }
    return best;
  }

  lines(u) {
    const g = u.ctx, { left, top, width, height } = u.bbox, r = devicePixelRatio;
    g.save();
    g.font = `${10 * r}px system-ui, sans-serif`;
    for (const m of this.o.marks || []) {
      const y = u.valToPos(m.value, 'y', true);
      if (!(y >= top && y <= top + height)) continue;
      g.strokeStyle = g.fillStyle = colour('bad');
      g.lineWidth = r;
      g.setLineDash([6 * r, 4 * r]);
      g.beginPath(); g.moveTo(left, y); g.lineTo(left + width, y); g.stroke();
      g.textAlign = 'right';
      g.fillText(m.label || '', left + width - 4 * r, y - 3 * r);
    }
    for (const f of this.o.flags || []) {
      const x = u.valToPos(f.at, 'x', true);
      if (!(x >= left && x <= left + width)) continue;
      g.strokeStyle = g.fillStyle = colour(f.colour || 'soft');
      g.lineWidth = r;
      g.setLineDash([2 * r, 3 * r]);
      g.beginPath(); g.moveTo(x, top); g.lineTo(x, top + height); g.stroke();
      g.textAlign = x > left + 0.8 * width ? 'right' : 'left';
      g.fillText(f.label || '', x + (g.textAlign === 'left' ? 3 : -3) * r, top + 9 * r);
    }
    g.restore();
  }

  /* The values at the cursor, or the newest ones. */
  read(u) {
    const data = this.data, xy = this.o.kind === 'xy';
    if (!data) return;
    const at = u && u.cursor.left >= 0 ? u.cursor.idxs : null;
    const show = (v, unit) => v === null || v === undefined ? '–' : number(v * unit.factor, 4) + (unit.unit ? ` ${unit.unit}` : '');
    const words = [];
    this.values.forEach((e, i) => {
      let text = '';
      if (xy && at) {
        const k = at[i + 1];
        if (k !== null && k !== undefined) text = `${show(data[i][1][k], this.yUnit)} at ${show(data[i][0][k], this.xUnit)}`;
      } else if (!xy && (at || this.o.live)) {
        const k = at ? at[i + 1] : data[0].length - 1;
        if (k !== null && k !== undefined) text = show(data[i + 1]?.[k], this.units[i] ?? this.yUnit);
      }
      if (e.textContent !== text) e.textContent = text;
      if (text) words.push(`${this.o.series[i].label} ${text}`);
    });
    if (!xy && this.o.kind === 'time') {
      const k = at?.[0] ?? at?.[1];
      this.when ??= this.legend.appendChild(element('li', { class: 'when' }, element('b')));
      this.when.firstChild.textContent = at && k !== null && k !== undefined ? `${this.o.x.label} ${show(data[0][k], this.xUnit)}` : '';
      this.legend.append(this.when);
    }
    return words.join(', ');
  }

  linked() { return this.o.link ? [...groups.get(this.o.link)] : [this]; }

  /* What the user zooms to is shown by the linked charts as well. */
  share() {
    if (!this.zoomed || sharing) return;
    sharing = true;
    const { min, max } = this.u.scales.x;
    for (const c of this.linked()) {
      if (c === this || !c.u) continue;
      c.zoomed = true;
      c.shown = null;
      if (c.u.scales.x.min !== min || c.u.scales.x.max !== max) c.u.setScale('x', { min, max });
    }
    sharing = false;
  }

  reset() { for (const c of this.linked()) c.range(); }

  range(min, max) {
    this.zoomed = false;
    this.shown = min === undefined ? null : { min, max };
    if (!this.u) return;
    if (min !== undefined) this.u.setScale('x', { min, max });
    else this.u.setData(this.u.data);
  }

  key(e) {
    const u = this.u;
    if (!u || e.target !== this.plot || this.o.kind === 'xy') return;
    const { min, max } = u.scales.x, span = max - min, x = this.data[0];
    const at = u.cursor.left >= 0 ? u.posToVal(u.cursor.left, 'x') : (min + max) / 2;
    const view = (a, b) => { this.zoomed = true; this.shown = null; u.setScale('x', { min: a, max: b }); };
    const move = way => {
      if (e.shiftKey) return view(min + way * span / 5, max + way * span / 5);
      const k = u.valToIdx(at), step = Math.max(1, Math.round(x.length * span / (x.at(-1) - x[0]) / 100));
      const next = Math.min(Math.max(k + way * step, 0), x.length - 1);
      u.setCursor({ left: u.valToPos(x[next], 'x'), top: u.bbox.height / devicePixelRatio / 2 });
      this.spoken.textContent = `${this.o.x.label} ${number(x[next] * this.xUnit.factor, 4)} ${this.xUnit.unit}: ${this.read(u)}`;
    };
    const does = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), '+': () => view(at - span / 4, at + span / 4),
      '=': () => view(at - span / 4, at + span / 4), '-': () => view(at - span, at + span), Escape: () => this.reset() }[e.key];
    if (!does) return;
    e.preventDefault();
    does();
  }

  width() { return this.onPaper ? this.paperWidth : Math.max(120, Math.floor(this.plot.clientWidth)); }
  height() { return this.o.height === 'fill' ? Math.max(60, Math.floor(this.plot.clientHeight)) : this.o.height; }
  fit() {
    const w = this.width();
    const h = this.height();
    if (this.u && (Math.abs(this.u.width - w) > 1 || Math.abs(this.u.height - h) > 1)) this.u.setSize({ width: w, height: h });
  }
  /* Columns keep their share of the page: 680 px lie between the margins of A4. */
  paper(on) {
    const page = this.host.closest('main')?.clientWidth || document.body.clientWidth;
    if (on) this.paperWidth = this.plot.clientWidth > 0.6 * page ? 650 : 310;
    this.onPaper = on;
    this.fit();
  }
  repaint() { this.u?.redraw(false); }

  /* The panel with its title and legend, as a canvas. */
  png() {
    const from = this.u.ctx.canvas, r = from.width / this.u.width, head = 24 * r, foot = 22 * r;
    const canvas = document.createElement('canvas');
    canvas.width = from.width;
    canvas.height = from.height + head + foot;
    const g = canvas.getContext('2d');
    g.fillStyle = colour('card');
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.fillStyle = colour('ink');
    g.font = `600 ${12 * r}px system-ui, sans-serif`;
    g.fillText(`${this.o.title || ''} ${this.caption.textContent}`, 8 * r, 16 * r);
    g.drawImage(from, 0, head);
    g.font = `${11 * r}px system-ui, sans-serif`;
    let x = 8 * r;
    this.o.series.forEach((s, i) => {
      if (this.hidden.has(i)) return;
      const style = styleOf(s);
      g.fillStyle = colour(style.colour);
      g.globalAlpha = style.alpha ?? 1;
      g.fillRect(x, head + from.height + 8 * r, 16 * r, Math.min(style.width, 5) * r);
      g.globalAlpha = 1;
      g.fillStyle = colour('soft');
      g.fillText(s.label, x + 20 * r, head + from.height + 13 * r);
      x += 34 * r + g.measureText(s.label).width;
    });
    return canvas;
  }

  csv() {
    const cell = text => `"${String(text).replace(/"/g, '""')}"`;
    const head = (label, unit) => cell(`${label}${unit ? ` [${unit}]` : ''}`);
    const value = v => v === null || v === undefined ? '' : String(v);
    const columns = this.o.kind === 'xy'
      ? this.o.series.flatMap((s, i) => [[head(`${s.raw || s.label} x: ${this.o.x.label}`, this.o.x.unit), this.data[i][0]],
        [head(s.raw || s.label, this.o.unit), this.data[i][1]]])
      : [[head(this.o.x.label, this.o.x.unit), this.data[0]],
        ...this.o.series.map((s, i) => [head(s.raw || s.label, s.unit ?? this.o.unit), this.data[i + 1]])];
    const rows = Math.max(...columns.map(c => c[1].length)), lines = [columns.map(c => c[0]).join(',')];
    for (let i = 0; i < rows; i++) lines.push(columns.map(c => value(c[1][i])).join(','));
    return lines.join('\n') + '\n';
  }

  destroy() {
    this.resizer.disconnect();
    this.u?.destroy();
    all.delete(this);
    groups.get(this.o.link)?.delete(this);
    this.figure.remove();
  }
}

let sharing = false;
