// A sketch of the structure as SVG, from `description.sketch` (docs/recording.md). Models are blue, specimens vermilion.
//
//   sketch(structure, { small }) -> <svg>, or null where nothing is known; small: for a narrow panel
//
// Nodes with coordinates are drawn where they are; seen along the axis in which a model is flat, or from a corner. A model
// without coordinates becomes a chain of masses between its elements, or a plain box where its elements are not known.
// Specimens stand beside what they are joined to, with their actuators; a line of dots is an interface.
const NS = 'http://www.w3.org/2000/svg';

function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) e.setAttribute(key, value);
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

const short = (text, most = 22) => text.length > most ? text.slice(0, most - 1) + '…' : text;
const nodeOf = dof => dof.includes('.') ? dof.slice(0, dof.lastIndexOf('.')) : dof;

function label(x, y, text, attributes = {}) {
  const t = svg('text', { x, y, 'font-size': 11, fill: 'currentColor', 'text-anchor': 'middle', ...attributes }, short(text));
  t.append(svg('title', {}, text));
  return t;
}

/* The way of a spring from a to b. */
function spring([x1, y1], [x2, y2]) {
  const dx = x2 - x1, dy = y2 - y1, length = Math.hypot(dx, dy) || 1, nx = -dy / length * 4, ny = dx / length * 4;
  const at = (s, side) => `${(x1 + dx * s + nx * side).toFixed(1)} ${(y1 + dy * s + ny * side).toFixed(1)}`;
  return `M${at(0, 0)}L${at(.25, 0)}L${at(.32, 1)}L${at(.44, -1)}L${at(.56, 1)}L${at(.68, -1)}L${at(.75, 0)}L${at(1, 0)}`;
}

function ground(g, x, y, width = 26) {
  let d = `M${x - width / 2} ${y}h${width}`;
  for (let i = 0; i < 5; i++) d += `M${x - width / 2 + (i + .9) * width / 5} ${y}l-4 5`;
  g.append(svg('path', { d, stroke: 'currentColor', 'stroke-width': 1, fill: 'none', opacity: .6 }));
}

/* A held node: hatched where it cannot move, a triangle where it can turn, on rollers where it slides. `held` has names of
 * degrees of freedom or is "all"; `slides` and `turns`: whether what is seen of it does. */
function support(g, [x, y], held, slides, turns) {
  const words = held === 'all' ? 'support' : `support: ${held.join(', ')} held`, own = svg('g', { class: 'support' }, svg('title', {}, words));
  if (!slides && !turns) ground(own, x, y, 18);
  else {
    own.append(svg('path', { d: `M${x} ${y}l-6 10h12Z`, stroke: 'currentColor', 'stroke-width': 1.2, fill: 'var(--card)', opacity: .8 }));
    if (slides) for (const dx of [-3, 3]) own.append(svg('circle', { cx: x + dx, cy: y + 12, r: 1.8, fill: 'none', stroke: 'currentColor', 'stroke-width': 1, opacity: .8 }));
    ground(own, x, y + (slides ? 14 : 10), 18);
  }
  g.append(own);
}

/* ---- models with coordinates ---- */

function view(points) {
  const span = [0, 1, 2].map(a => Math.max(...points.map(p => p[a])) - Math.min(...points.map(p => p[a])));
  const most = Math.max(...span) || 1, flat = span.map(s => s < 1e-6 * most);
  if (flat[2]) return p => [p[0], -p[1]];
  if (flat[1]) return p => [p[0], -p[2]];
  if (flat[0]) return p => [p[1], -p[2]];
  return p => [0.87 * p[0] - 0.5 * p[1], -p[2] - 0.28 * p[0] - 0.3 * p[1]];
}

function drawn(s, box) {
  const places = s.places.map((p, i) => p && { p, node: nodeOf(s.dofs[i]) }).filter(Boolean);
  const points = [...s.lines.flat(), ...places.map(x => x.p)].filter(Boolean);
  if (points.length < 2) return null;
  const supports = (s.supports || []).filter(x => x.at);
  if (supports.length) box = { ...box, height: box.height - 18 }; // their symbols hang below their nodes
  const flatten = view(points), flat = points.map(flatten);
  const low = [0, 1].map(a => Math.min(...flat.map(p => p[a]))), high = [0, 1].map(a => Math.max(...flat.map(p => p[a])));
  const scale = Math.min(box.width / (high[0] - low[0] || 1e-9), box.height / (high[1] - low[1] || 1e-9));
  if (!isFinite(scale)) return null;
  const dx = box.x + (box.width - scale * (high[0] - low[0])) / 2, dy = box.y + (box.height - scale * (high[1] - low[1])) / 2;
  const to = p => { const [x, y] = flatten(p); return [dx + scale * (x - low[0]), dy + scale * (y - low[1])]; };
  const g = svg('g'), at = new Map();
  const many = points.length > 400;
  for (const [a, b] of s.lines)
    if (a && b) g.append(svg('path', { d: `M${to(a).map(v => v.toFixed(1)).join(' ')}L${to(b).map(v => v.toFixed(1)).join(' ')}`,
      stroke: 'var(--computed)', 'stroke-width': many ? 1 : 2.2, 'stroke-linecap': 'round', fill: 'none' }));
  for (const { p, node } of places) {
    if (at.has(node)) continue;
    at.set(node, to(p));
    const [cx, cy] = to(p);
    if (!many) g.append(svg('circle', { cx, cy, r: s.lines.length ? 2 : 3, fill: 'var(--computed)' }, svg('title', {}, node)));
  }
  if (supports.length <= 60)
    for (const { at: p, held } of supports) {
      const has = names => held === 'all' || names.every(n => held.includes(n)), plane = s.dofs.every(d => !/\.(z|rx|ry)$/.test(d));
      support(g, to(p), held, !has(plane ? ['x', 'y'] : ['x', 'y', 'z']), !has(plane ? ['rz'] : ['rx', 'ry', 'rz']) && s.dofs.some(d => /\.r[xyz]$/.test(d)));
    }
  /* Of a degree of freedom, as it is seen. */
  const toward = dof => {
    const axis = 'xyz'.indexOf(dof.slice(dof.lastIndexOf('.') + 1)), unit = [0, 1, 2].map(a => a === axis ? 1 : 0), [x, y] = flatten(unit), length = Math.hypot(x, y);
    return axis >= 0 && length > 0 ? [x / length, y / length] : [1, 0];
  };
  return { g, at, toward };
}

/* ---- models without ---- */

/* The direction of a degree of freedom where there are no coordinates: z is upwards, y where there is no z. */
function upright(s) {
  const ends = (dof, axis) => dof === axis || dof.endsWith(`.${axis}`), up = s.dofs.some(d => ends(d, 'z')) ? 'z' : 'y';
  return dof => ends(dof, up) ? [0, -1] : [1, 0];
}

/* Levels above the ground along the elements: 1 for what stands on it. */
function levels(s, nodes) {
  const near = new Map(nodes.map(n => [n, new Set()]));
  const level = new Map();
  for (const e of s.elements) {
    const a = e.from === null || e.from === 'base' ? null : nodeOf(e.from), b = e.to === null || e.to === 'base' ? null : nodeOf(e.to);
    if (a !== null && b !== null && a !== b) { near.get(a)?.add(b); near.get(b)?.add(a); } else if (a ?? b) level.set(a ?? b, 1);
  }
  let front = [...level.keys()];
  while (front.length) {
    const next = [];
    for (const n of front) for (const m of near.get(n) || []) if (!level.has(m)) { level.set(m, level.get(n) + 1); next.push(m); }
    front = next;
  }
  return level;
}

function chain(s, box) {
  const nodes = [...new Set(s.dofs.map(nodeOf))];
  if (!s.elements.length || nodes.length > 14 || s.dof_count > s.dofs.length) return null;
  const level = levels(s, nodes), g = svg('g'), at = new Map();
  const top = Math.max(1, ...level.values()), rows = Array.from({ length: top + 1 }, () => []);
  for (const n of nodes) rows[level.get(n) || top].push(n);
  const base = box.y + box.height - 8, step = (box.height - 22) / (top + .3);
  rows.forEach((row, l) => row.forEach((n, i) => at.set(n, [box.x + box.width * (i + .5) / row.length, base - l * step])));
  const room = box.width / Math.max(...rows.map(r => r.length)), width = Math.min(86, Math.max(room - 28, .6 * room)), high = Math.min(20, step * .45);
  const lines = [];
  for (const e of s.elements) {
    const end = x => x === null || x === 'base' ? null : at.get(nodeOf(x));
    const a = end(e.from), b = end(e.to);
    if (!a && !b) continue;
    const upper = a && b ? (a[1] < b[1] ? a : b) : a || b, lower = a && b ? (upper === a ? b : a) : null;
    lines.push({ upper, lower, law: e.law, name: e.name });
  }
  lines.forEach((l, i) => {
    const twins = lines.filter(o => o.upper === l.upper && o.lower === l.lower), shift = (twins.indexOf(l) - (twins.length - 1) / 2) * 22;
    const from = [l.upper[0] + shift, l.upper[1]], to = l.lower ? [l.lower[0] + shift, l.lower[1]] : [l.upper[0] + shift, base];
    const path = svg('path', { d: spring(to, from), stroke: 'currentColor', 'stroke-width': 1.3, fill: 'none', opacity: .75 });
    path.append(svg('title', {}, `${l.name}: ${l.law}`));
    g.append(path);
    if (!l.lower) ground(g, to[0], base, 22);
  });
  for (const [n, [x, y]] of at) {
    g.append(svg('rect', { x: x - width / 2, y: y - high / 2, width, height: high, rx: 3, fill: 'var(--computed)' }));
    if (high >= 13 && n.length * 5.2 < width) g.append(label(x, y + 3.5, n, { fill: 'var(--card)', 'font-size': 10 }));
    else g.lastChild.append(svg('title', {}, n));
  }
  return { g, at, half: width / 2, tall: high / 2, toward: upright(s) };
}

function plain(s, box) {
  const width = Math.min(110, box.width), height = Math.min(46, box.height * .5), x = box.x + (box.width - width) / 2, y = box.y + (box.height - height) / 2;
  const g = svg('g'), at = new Map(), nodes = [...new Set(s.dofs.map(nodeOf))], shown = nodes.slice(0, 8);
  const floor = box.y + box.height - 8;
  g.append(svg('path', { d: `M${x + 12} ${y + height}V${floor}M${x + width - 12} ${y + height}V${floor}`, stroke: 'currentColor', 'stroke-width': 1.6, opacity: .75 }));
  ground(g, x + 12, floor); ground(g, x + width - 12, floor);
  g.append(svg('rect', { x, y, width, height, rx: 4, fill: 'var(--computed)' }));
  g.append(label(x + width / 2, y + height / 2 + 4, `${s.dof_count} DoF${s.dof_count === 1 ? '' : 's'}`, { fill: 'var(--card)', 'font-size': 11 }));
  nodes.forEach((n, i) => at.set(n, [x + width, y + height * (Math.min(i, shown.length - 1) + 1) / (shown.length + 1)]));
  return { g, at, left: x, top: y, middle: x + width / 2, toward: upright(s) };
}

/* ---- specimens ---- */

function specimen(s, box) {
  const g = svg('g'), at = new Map(), count = Math.max(1, s.actuators.length), step = Math.min(46, box.height / (count + .4));
  const size = Math.max(26, step * count * .8), y = box.y + box.height / 2, x = box.x + box.width - 36;
  const colour = 'var(--measured)';
  g.append(svg('rect', { x: x - 2, y: y - size / 2, width: 34, height: size, rx: 5, fill: 'none', stroke: colour, 'stroke-width': 2 }));
  s.actuators.forEach((a, i) => {
    const cy = y + (i - (count - 1) / 2) * step, left = box.x + 10;
    // cylinder, rod, joint at the specimen
    g.append(svg('rect', { x: left, y: cy - 7, width: 34, height: 14, rx: 2, fill: 'none', stroke: colour, 'stroke-width': 1.6 }));
    g.append(svg('path', { d: `M${left + 20} ${cy - 7}v14M${left + 20} ${cy}H${x - 2}`, stroke: colour, 'stroke-width': 1.8 }));
    g.append(svg('circle', { cx: x - 4, cy, r: 3, fill: colour }));
    g.append(label(left + 17, cy - 11, a, { 'font-size': 10 }));
  });
  const nodes = [...new Set(s.dofs.map(nodeOf))];
  nodes.forEach((n, i) => at.set(n, [box.x + 10, nodes.length === count ? y + (i - (count - 1) / 2) * step : y]));
  return { g, at };
}

/* To (x, y) in the direction [dx, dy] of length 1. */
function arrow(g, [x, y], [dx, dy], text) {
  const at = (along, across) => `${(x - along * dx - across * dy).toFixed(1)} ${(y - along * dy + across * dx).toFixed(1)}`;
  g.append(svg('path', { d: `M${at(34, 0)}L${at(8, 0)}M${at(14, 4)}L${at(8, 0)}L${at(14, -4)}`, stroke: 'currentColor', 'stroke-width': 1.5, fill: 'none', opacity: .85 },
    svg('title', {}, text)));
}

/* A load at p: at a node from the side that it comes from; at a mass or a box, left of it or above it. */
function force(g, shape, p, dof, load) {
  const [x, y] = shape.toward?.(dof) || [1, 0], way = [x * (load.sign || 1), y * (load.sign || 1)];
  if (shape.half === undefined && shape.left === undefined) return arrow(g, p, way, load.words);
  const side = y ? [shape.middle ?? p[0], (shape.top ?? p[1] - shape.tall) + 6] : [(shape.left ?? p[0] - shape.half) + 6, p[1]];
  // a load that points away from there pulls: its tail is at the body
  return arrow(g, way[0] + way[1] < 0 ? [side[0] + 42 * way[0], side[1] + 42 * way[1]] : side, way, load.words);
}

export function sketch(structure, { small = false } = {}) {
  const { substructures = [], interfaces = [], loads = [] } = structure || {};
  if (!substructures.length) return null;
  const models = substructures.filter(s => s.role !== 'physical'), specimens = substructures.filter(s => s.role === 'physical');
  const columns = Math.min(models.length, small ? 1 : 4), rows = columns ? Math.ceil(models.length / columns) : 0;
  const cell = { width: small ? 110 : models.length > 2 ? 170 : 240, height: small ? 100 : models.length > 4 ? 120 : 170 };
  const gap = small ? 12 : 26, foot = 32, left = small ? 40 : 44, right = specimens.length ? (small ? 124 : 180) : 0;
  const inner = Math.max(rows * (cell.height + foot), specimens.length * 96, 120);
  const width = left + columns * (cell.width + gap) + right + 8, height = inner + 14;
  const root = svg('svg', { viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', class: 'sketch' });
  const back = svg('g'), front = svg('g'), where = new Map(), boxes = new Map(), shapes = new Map(), halves = new Map();
  root.append(svg('title', {}, 'Sketch of the structure: ' + substructures.map(s => `${s.name}, ${s.role === 'physical' ? 'specimen' : 'model'}`).join('; ')), back, front);
  models.forEach((s, i) => {
    const box = { x: left + (i % columns) * (cell.width + gap), y: 8 + Math.floor(i / columns) * (cell.height + foot), ...cell };
    const made = drawn(s, { ...box, y: box.y + 6, height: box.height - 12 }) || chain(s, box) || plain(s, box);
    front.append(made.g, label(box.x + box.width / 2, box.y + box.height + 19, `${s.name}, computed`));
    boxes.set(s.name, box);
    where.set(s.name, made.at);
    if (made.half) halves.set(s.name, made.half);
    shapes.set(s.name, made);
  });
  specimens.forEach((s, i) => {
    const step = inner / specimens.length;
    const box = { x: left + columns * (cell.width + gap), y: 8 + i * step, width: right - 12, height: step - foot };
    const made = specimen(s, box);
    front.append(made.g, label(box.x + box.width / 2 + 6, box.y + box.height + 19, s.name === 'specimen' ? 'specimen' : `${s.name}, specimen`));
    boxes.set(s.name, box);
    where.set(s.name, made.at);
  });
  const place = (name, dof) => where.get(name)?.get(nodeOf(dof)) || (boxes.get(name) && [boxes.get(name).x + boxes.get(name).width / 2, boxes.get(name).y + boxes.get(name).height / 2]);
  const joined = new Set();
  for (const row of interfaces) {
    // at the side of a mass that faces the other end
    const centres = row.terms.map(t => place(t.substructure, t.dof));
    const ends = centres.map((p, i) => { const q = centres[i ? 0 : 1]; return p && q && [p[0] + Math.sign(q[0] - p[0]) * (halves.get(row.terms[i].substructure) || 0), p[1]]; }).filter(Boolean);
    for (let i = 1; i < ends.length; i++) {
      const key = ends[0].concat(ends[i]).map(v => v.toFixed(0)).join();
      if (joined.has(key) || ends[0].join() === ends[i].join()) continue;
      joined.add(key);
      const [[x1, y1], [x2, y2]] = [ends[0], ends[i]], mid = (x1 + x2) / 2;
      back.append(svg('path', { d: `M${x1} ${y1}C${mid} ${y1} ${mid} ${y2} ${x2} ${y2}`, stroke: 'currentColor', 'stroke-width': 1.6,
        'stroke-dasharray': '1 4', 'stroke-linecap': 'round', fill: 'none', opacity: .8 },
        svg('title', {}, `interface ${row.name}: ${row.terms.map(t => `${t.substructure}.${t.dof}`).join(' – ')}`)));
      for (const [cx, cy] of [ends[0], ends[i]]) front.append(svg('circle', { cx, cy, r: 3.2, fill: 'var(--card)', stroke: 'currentColor', 'stroke-width': 1.4 }));
    }
  }
  const moved = new Set();
  for (const l of loads) {
    const box = boxes.get(l.substructure);
    if (!box) continue;
    if (!l.ground) {
      for (const d of l.dofs.slice(0, 6)) { const p = place(l.substructure, d); if (p) force(front, shapes.get(l.substructure) || {}, p, d, l); }
      continue;
    }
    if (moved.has(l.substructure)) continue;
    moved.add(l.substructure);
    const x = box.x + box.width / 2, y = box.y + box.height + 3;
    front.append(svg('path', { d: `M${x - 16} ${y}h32m-5 -3.5l5 3.5l-5 3.5M${x - 11} ${y - 3.5}l-5 3.5l5 3.5`, stroke: 'currentColor', 'stroke-width': 1.4, fill: 'none' },
      svg('title', {}, l.words)));
  }
  return root;
}
