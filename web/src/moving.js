// A frame as it moves: true beam curves between the nodes, at any instant of the recording.
//
//   moving(run) -> { element, show(t) } or null where no frame with recorded displacements is in the run
//
// The shape of a member follows from the displacements and rotations of its ends: cubic across, linear along. The end of a member
// turns with its joint, less the rotation of its hinge; where no rotation is known, the end turns freely. Displacements are drawn
// larger than they are; the factor stands below.
import { element as h } from './chart.js';
import { add, factor, shape, worst } from './beam.js';
import { number, quantity } from './format.js';

const NS = 'http://www.w3.org/2000/svg', WIDTH = 560, HEIGHT = 340, PIECES = 12;

function svg(name, attributes = {}) {
  const e = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}
const key = p => p.map(v => v.toFixed(6)).join(' ');
const axes = ['x', 'y', 'z'], turns = ['rx', 'ry', 'rz'];

/* Not yielded, yielded, on the falling branch, beyond the last point. */
const states = ['#999999', '#e69f00', '#d55e00', 'currentColor'];

/* Members with the channels that move their ends. */
function collect(run) {
  const members = [], channel = new Map(run.channels.filter(c => c.stream.name === 'system').map(c => [c.name, c]));
  let rows = null;
  for (const s of run.description?.sketch?.substructures || []) {
    if (!s.members?.length || s.members.length !== s.lines.length) continue;
    const nodes = new Map(), node = p => nodes.get(key(p)) || nodes.set(key(p), { u: {}, held: [] }).get(key(p));
    for (const { at, held } of s.supports || []) if (at) node(at).held = held === 'all' ? [...axes, ...turns] : held;
    s.places.forEach((p, i) => {
      const c = p && channel.get(`${s.name}.${s.dofs[i]}.u`);
      if (c) { node(p).u[s.dofs[i].slice(s.dofs[i].lastIndexOf('.') + 1)] = c; rows = rows && rows.coarse === c.coarse ? rows : rows || c; }
    });
    const plane = s.dofs.every(d => !/\.(z|rx|ry)$/.test(d));
    s.lines.forEach(([a, b], i) => {
      const ends = [node(a), node(b)];
      if (!a || !b || ends.some(n => !axes.slice(0, plane ? 2 : 3).every(d => n.u[d] || n.held.includes(d)))) return;
      // in space about the axes of the member, which are not known here
      const hinge = [1, 2].map(k => (plane ? [''] : ['y', 'z']).map(a => channel.get(`${s.name}.${s.members[i]}.hinge${k}${a}.rotation`) || null));
      members.push({ a, b, ends, hinge, plane, name: `${s.name}.${s.members[i]}` });
    });
  }
  return members.length && rows ? { members, rows } : null;
}

/* How points in space are seen. */
function camera(points) {
  const span = axes.map((_, k) => Math.max(...points.map(p => p[k])) - Math.min(...points.map(p => p[k]))), most = Math.max(...span) || 1;
  const flat = span.map(s => s < 1e-6 * most);
  const see = flat[2] ? p => [p[0], -p[1]] : flat[1] ? p => [p[0], -p[2]] : flat[0] ? p => [p[1], -p[2]] : p => [0.87 * p[0] - 0.5 * p[1], -p[2] - 0.28 * p[0] - 0.3 * p[1]];
  const all = points.map(see), low = [0, 1].map(k => Math.min(...all.map(p => p[k]))), high = [0, 1].map(k => Math.max(...all.map(p => p[k])));
  const margin = 0.12 * Math.max(high[0] - low[0], high[1] - low[1]), scale = Math.min(WIDTH / (high[0] - low[0] + 2 * margin), HEIGHT / (high[1] - low[1] + 2 * margin));
  const shift = [0, 1].map(k => [WIDTH, HEIGHT][k] / 2 - scale * (low[k] + high[k]) / 2);
  return { size: Math.hypot(...span), to: p => see(p).map((v, k) => (shift[k] + scale * v).toFixed(1)).join(' ') };
}

export function moving(run) {
  const found = collect(run);
  if (!found) return null;
  const { members, rows } = found, times = run.time(rows), { size, to } = camera(members.flatMap(m => [m.a, m.b]));
  const cache = new Map(), values = c => cache.get(c) || cache.set(c, run.beside(c, rows)).get(c);
  const at = (c, k, w) => { if (!c) return 0; const v = values(c); return w ? v[k] + w * (v[k + 1] - v[k]) : v[k]; };
  const used = [...new Set(members.flatMap(m => m.ends.flatMap(n => axes.map(d => n.u[d]).filter(Boolean))))];
  const most = Math.max(...used.map(c => c.peak));
  if (!(most > 0) || !(times.length > 1)) return null;
  const larger = factor(size, most);
  // the instant of the largest displacement
  const first = used.reduce((x, c) => c.peak > x.peak ? c : x), all = values(first);
  let peak = 0;
  for (let k = 0; k < all.length; k++) if (Math.abs(all[k]) > Math.abs(all[peak])) peak = k;

  const drawing = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'moving', role: 'img', 'aria-label': 'the deformed structure' });
  const rest = svg('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1, opacity: 0.3, d: members.map(m => `M${to(m.a)}L${to(m.b)}`).join('') });
  const curve = svg('path', { fill: 'none', stroke: 'var(--computed)', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' });
  const dots = svg('g');
  drawing.append(rest, curve, dots);
  const known = new Map((run.summary?.results?.hinges || []).map(x => [x.name, x]));
  const hinges = members.flatMap(m => m.hinge.flatMap((list, end) => list.filter(Boolean).map(c => ({ m, end, c, points: known.get(c.name.replace(/\.rotation$/, '')) }))));
  for (const x of hinges) {
    x.dot = svg('path', { 'stroke-width': 1.5 });
    x.dot.append(svg('title'));
    x.dot.firstChild.textContent = `${x.m.name}, end ${x.end + 1}: largest rotation ${quantity(x.c.peak, 'rad')}${x.points ? `, ${x.points.state}` : ''}`;
    dots.append(x.dot);
    x.worst = worst(values(x.c), x.points);
  }

  const clock = h('span', { class: 'n' }), slider = h('input', { type: 'range', min: times[0], max: times.at(-1), step: 'any', 'aria-label': 'instant' });
  function show(t) {
    let k = 0, high = times.length - 1;
    while (high - k > 1) { const mid = (k + high) >> 1; if (times[mid] <= t) k = mid; else high = mid; }
    const w = Math.min(1, Math.max(0, (t - times[k]) / (times[k + 1] - times[k])));
    let d = '';
    for (const m of members) {
      const u = m.ends.map(n => axes.map(a => larger * at(n.u[a], k, w)));
      const r = m.ends.map((n, end) => (m.plane ? ['rz'] : turns).every(a => n.u[a] || n.held.includes(a)) && (m.plane || !m.hinge[end].some(Boolean))
        ? turns.map(a => larger * (at(n.u[a], k, w) - (a === 'rz' && m.plane ? at(m.hinge[end][0], k, w) : 0))) : null);
      for (let i = 0; i <= PIECES; i++) {
        const xi = i / PIECES, p = add(add(m.a, add(m.b, m.a, -1), xi), shape(m.a, m.b, u, r, xi));
        d += (i ? 'L' : 'M') + to(p);
        if (i === 0 || i === PIECES) m[i ? 'second' : 'first'] = add(add(m.a, add(m.b, m.a, -1), i ? 0.96 : 0.04), shape(m.a, m.b, u, r, i ? 0.96 : 0.04));
      }
    }
    curve.setAttribute('d', d);
    for (const { m, end, worst: list, dot: mark } of hinges) {
      const [x, y] = to(end ? m.second : m.first).split(' '), state = list[k];
      mark.setAttribute('d', state === 3 ? `M${x} ${y}m-4 -4l8 8m0 -8l-8 8` : `M${x} ${y}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`);
      mark.setAttribute('fill', state === 0 ? 'var(--card)' : state === 3 ? 'none' : states[state]);
      mark.setAttribute('stroke', states[state]);
      mark.dataset.state = state;
    }
    clock.textContent = `${t.toFixed(2)} s`;
    slider.value = t;
  }

  let playing = 0, began = 0, from = 0;
  const speed = h('select', { 'aria-label': 'speed' }, ...[0.1, 0.25, 0.5, 1, 2, 5, 10].map(v => Object.assign(h('option', { value: v }, `${v} x`), { selected: v === 1 })));
  const button = h('button', { type: 'button', onclick: () => playing ? stop() : play() }, 'Play');
  function stop() { cancelAnimationFrame(playing); playing = 0; button.textContent = 'Play'; }
  function frame(now) {
    const t = from + (now - began) / 1000 * Number(speed.value);
    if (t >= times.at(-1)) { show(times.at(-1)); stop(); return; }
    show(t);
    playing = requestAnimationFrame(frame);
  }
  function play() {
    from = Number(slider.value) >= times.at(-1) - 1e-9 ? times[0] : Number(slider.value);
    began = performance.now();
    button.textContent = 'Stop';
    playing = requestAnimationFrame(frame);
  }
  speed.addEventListener('change', () => { if (playing) { from = Number(slider.value); began = performance.now(); } });
  slider.addEventListener('input', () => { stop(); show(Number(slider.value)); });
  const jump = (words, t) => h('button', { type: 'button', onclick: () => { stop(); show(t); } }, words);
  const element = h('div', {}, drawing, h('div', { class: 'player screen' }, button, slider, clock, speed, jump('largest', times[peak]), jump('end', times.at(-1))),
    h('p', { class: 'note' }, `Displacements ${number(larger, 3)} times as large as they are; the largest is ${quantity(most, 'm')}. Grey: at rest.`
      + (hinges.length ? ' Circles are hinges, by the worst state so far: grey not yielded, orange yielded, vermilion on the falling branch, a cross beyond its last point.' : '')));
  show(times[peak]);
  return { element, show };
}
