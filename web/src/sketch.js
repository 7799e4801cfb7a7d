// A sketch of the structure from the description of a run: substructures as boxes (computed: blue, tested: vermilion with
// its actuators), interfaces as lines between them, loads as arrows.
const SVG = 'http://www.w3.org/2000/svg';
const BOX = 92, HEIGHT = 40, GAP = 16, MOST = 5;

function shape(tag, attributes, ...children) {
  const e = document.createElementNS(SVG, tag);

  for (const [name, value] of Object.entries(attributes))
    e.setAttribute(name, value);
  e.append(...children);
  return e;
}

const words = (x, y, text, more = {}) => shape('text', { x, y, 'font-size': 11, 'text-anchor': 'middle', fill: 'currentColor', ...more }, text);
const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

// Columns of boxes: coarse models, fine models, specimens; empty columns are left out.
function columnsOf(substructures) {
  const physical = s => s.role === 'physical';

  return [substructures.filter(s => !physical(s) && s.rate !== 'fine'), substructures.filter(s => !physical(s) && s.rate === 'fine'),
    substructures.filter(physical)].filter(list => list.length);
}

function place(columns) {
  const most = Math.max(...columns.map(c => Math.min(c.length, MOST + 1))), high = most * (HEIGHT + GAP), at = new Map();

  columns.forEach((list, c) => {
    const shown = list.slice(0, MOST), top = (high - Math.min(list.length, MOST + 1) * (HEIGHT + GAP)) / 2;

    shown.forEach((s, i) => at.set(s.name, { s, x: 30 + c * (BOX + 34), y: 12 + top + i * (HEIGHT + GAP) }));
  });
  return { at, high: high + 16, wide: 30 + columns.length * (BOX + 34) };
}

function box({ s, x, y }) {
  const tested = s.role === 'physical', colour = tested ? 'var(--measured)' : 'var(--computed)';
  const parts = [shape('rect', { x, y, width: BOX, height: HEIGHT, rx: 6, fill: `color-mix(in srgb, ${colour} 12%, var(--card))`, stroke: colour, 'stroke-width': 1.6 }),
    words(x + BOX / 2, y + 17, clip(s.name, 15), { 'font-weight': 600 }),
    words(x + BOX / 2, y + 31, tested ? 'specimen' : `computed, ${plural(s.dofs?.length ?? 0, 'DoF')}`, { fill: 'var(--soft)', 'font-size': 10 })];

  if (tested && s.actuators?.length) {
    const right = x + BOX, mid = y + HEIGHT / 2;

    parts.push(shape('path', { d: `M${right} ${mid}h8m0 -6v12m0 -12h14v12h-14m14 -6h5m0 -9v18`, fill: 'none', stroke: colour, 'stroke-width': 1.6 }),
      words(right + 15, mid + 19, clip(s.actuators.join(' '), 9), { 'font-size': 10 }));
  }
  parts.push(shape('title', {}, `${s.name}: ${s.kind ?? ''} ${s.role ?? ''}, ${plural(s.dofs?.length ?? 0, 'degree')} of freedom`));
  return shape('g', {}, ...parts);
}

// One line for each pair of substructures that interfaces tie.
function ties(interfaces, at) {
  const pairs = new Map();

  for (const i of interfaces ?? []) {
    const names = [...new Set((i.terms ?? []).map(t => t.substructure))].filter(n => at.has(n));

    for (let k = 1; k < names.length; k++) {
      const key = JSON.stringify([names[0], names[k]].sort());

      pairs.set(key, (pairs.get(key) ?? 0) + 1);
    }
  }
  return [...pairs].map(([key, count]) => {
    const [a, b] = JSON.parse(key).map(n => at.get(n)).sort((p, q) => p.x - q.x || p.y - q.y);
    const level = a.x === b.x, x1 = level ? a.x + BOX / 2 : a.x + BOX, y1 = level ? a.y + HEIGHT : a.y + HEIGHT / 2;
    const x2 = level ? b.x + BOX / 2 : b.x, y2 = level ? b.y : b.y + HEIGHT / 2;

    return shape('g', {}, shape('path', { d: `M${x1} ${y1}L${x2} ${y2}`, stroke: 'currentColor', 'stroke-width': 2, opacity: 0.75 }),
      shape('circle', { cx: (x1 + x2) / 2, cy: (y1 + y2) / 2, r: 3.5, fill: 'var(--card)', stroke: 'currentColor', 'stroke-width': 1.6 }),
      ...(count > 1 ? [words((x1 + x2) / 2, (y1 + y2) / 2 - 7, `${count}`, { 'font-size': 10 })] : []),
      shape('title', {}, plural(count, 'interface row')));
  });
}

function arrows(loads, at) {
  return [...new Set((loads ?? []).map(l => l.substructure))].filter(n => at.has(n)).map(n => {
    const { x, y } = at.get(n), mid = y + HEIGHT / 2;

    return shape('g', {}, shape('path', { d: `M${x - 24} ${mid}h20m-6 -5l6 5l-6 5`, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.8 }),
      shape('title', {}, loads.filter(l => l.substructure === n).map(l => l.words).join('; ')));
  });
}

// An SVG element; null where nothing is known.
export function sketch(structure) {
  const all = structure?.substructures ?? [];

  if (!all.length)
    return null;
  const columns = columnsOf(all), { at, high, wide } = place(columns);
  const hidden = columns.flatMap(list => list.slice(MOST)).length;
  const svg = shape('svg', { viewBox: `0 0 ${wide} ${high + (hidden ? 12 : 0)}`, role: 'img', class: 'sketch',
    'aria-label': `structure: ${all.map(s => `${s.name} (${s.role === 'physical' ? 'specimen' : 'computed'})`).slice(0, 12).join(', ')}` },
  ...ties(structure.interfaces, at), ...[...at.values()].map(box), ...arrows(structure.loads, at));

  if (hidden)
    svg.append(words(wide / 2, high + 6, `and ${hidden} more`, { fill: 'var(--soft)' }));
  return svg;
}
