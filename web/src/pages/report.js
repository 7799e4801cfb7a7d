// The report of one run, or of several to compare: draws what the C side has written into the element #data.
import '../../node_modules/uplot/dist/uPlot.min.css';
import '../tokens.css';
import '../chart.css';
import '../report.css';
import '../sharp.js';
import { chart, element as h, styleOf } from '../chart.js';
import { floats, load, resample } from '../data.js';
import { chosen, count, duration, number, quantity } from '../format.js';
import { moving } from '../moving.js';
import { sketch } from '../sketch.js';
import { indices, verdict } from '../verdict.js';

const runs = load(), one = runs[0];
const root = document.getElementById('report');
const page = h('main', { class: 'page' });
root.append(page);

// ---- building ----

const waiting = []; // charts still to be drawn, from top to bottom
function later(draw) { waiting.push(draw); }
function drawAll() { while (waiting.length) waiting.shift()(); }
function drawSome() {
  const end = performance.now() + 30;
  while (waiting.length && performance.now() < end) waiting.shift()();
  if (waiting.length) setTimeout(drawSome); else document.documentElement.dataset.ready = '';
}
addEventListener('beforeprint', drawAll, true);

const sections = [];
function section(id, title, note) {
  const grid = h('div', { class: 'grid' });
  const s = h('section', { id }, h('h2', {}, title, note ? h('small', {}, note) : null), grid);
  sections.push({ id, title, s, grid });
  return grid;
}
function card(grid, wide, title, ...content) {
  const c = h('div', { class: wide ? 'card wide' : 'card' }, title ? h('h3', {}, title) : null, ...content);
  grid.append(c);
  return c;
}

/* A panel with a chart; `series`: [{ run, channel, role, index, label }] of one stream each. */
function panel(grid, wide, options, data) {
  const host = h('div', { class: `card ${wide ? 'wide' : options.kind === 'xy' ? 'square' : ''}` });
  grid.append(host);
  later(() => {
    try { chart(host, options).set(data()); } catch (error) { host.append(h('p', { class: 'bad' }, `This panel could not be drawn: ${error.message}`)); }
  });
}

const ownerWords = c => { const at = c.words.lastIndexOf(', '); return at > 0 ? c.words.slice(0, at) : c.words; };

/* Curves of channels over time. */
function curves(grid, wide, title, list, more = {}) {
  if (!list.length) return;
  const { stream } = list[0].channel, run = list[0].run || one;
  panel(grid, wide, { title, unit: list[0].channel.unit, link: stream.name, height: more.height || 190,
    note: run.stretch(list[0].channel) > 1 ? `least and largest of every ${run.stretch(list[0].channel)} rows` : '',
    x: { label: stream.name === 'ticks' ? 'time since armed' : 'time', unit: 's' },
    series: list.map((s, i) => ({ label: s.label || ownerWords(s.channel), raw: s.channel.name, role: s.role || 'other', index: s.index ?? i })),
    ...more }, () => [run.time(list[0].channel), ...list.map(s => run.beside(s.channel, list[0].channel))]);
}

const byUnit = list => { const all = new Map(); for (const c of list) (all.get(c.unit) || all.set(c.unit, []).get(c.unit)).push(c); return [...all]; };

/* Degrees of freedom that an interface joins move alike: each by the name of the first of them. */
const sameAs = new Map();
for (const { terms } of one.description?.sketch?.interfaces || []) {
  const [a, b] = terms.map(t => `${t.substructure}.${t.dof}`);
  if (terms.length === 2 && terms[0].factor === -terms[1].factor) sameAs.set(b, sameAs.get(a) || a);
}
const motionOf = c => sameAs.get(c.owner) || c.owner;

/* The largest; of those that move alike, one. */
function leading(list, most) {
  const out = [];
  for (const c of [...list].sort((a, b) => b.peak - a.peak || sameAs.has(a.owner) - sameAs.has(b.owner))) {
    if (out.length === most || c.peak === 0) break;
    if (c.coarse && out.length) continue;
    if (!out.some(o => o.kind === c.kind && (motionOf(o) === motionOf(c) && c.owner || Math.abs(o.min - c.min) + Math.abs(o.max - c.max) < 1e-6 * (o.max - o.min)))) out.push(c);
  }
  return out;
}
const plainCurves = list => list.map((channel, index) => ({ channel, index }));

/* The first `words` columns are texts, the others numbers, which are not broken into lines; a sentence among them is. */
const isLong = (cell, most = 40) => typeof cell === 'string' && cell.length > most;
function table(head, rows, words = 1) {
  const of = (name, cells, more = {}) => h('tr', {}, ...cells.map((c, i) => h(name, { class: i < words ? '' : isLong(c) ? 'n long' : isLong(c, 20) ? 'n wraps' : 'n', ...more }, c)));
  const prose = rows.some(r => r.some((c, i) => i >= words && isLong(c)));
  return h('div', { class: 'scroll' }, h('table', { class: prose ? 'prose' : '' }, h('thead', {}, of('th', head, { scope: 'col' })), h('tbody', {}, ...rows.map(r => of('td', r)))));
}

// ---- head ----

const mark = () => {
  const m = h('div', { class: 'mark' });
  m.innerHTML = '<svg width="20" height="16" viewBox="0 0 20 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M1 4c3 0 3 8 6 8s2-6 3-6 0 6 3 6 3-8 6-8"/></svg>';
  m.append('Yoke');
  return m;
};
const when = run => run.date ? run.date.replace('T', ' ').replace(/([+-]\d\d)(\d\d)$/, ' UTC$1:$2').replace(' UTC+00:00', ' UTC') : '';

function facts(run) {
  const d = run.description, s = run.summary || {};
  const models = d?.sketch.substructures.filter(x => x.role !== 'physical') || [], specimens = d?.sketch.substructures.filter(x => x.role === 'physical') || [];
  const many = (n, word) => `${count(n)} ${word}${n === 1 ? '' : 's'}`;
  return [
    ['date', when(run)], ['operator', run.user && run.host ? `${run.user} on ${run.host}` : run.user],
    ['method', s.static ? 'none: quasi-static test' : run.method], ['file', run.experiment_path],
    ['time step', d && chosen(d.step_s, 's') + (d.substeps > 1 ? `, ${d.substeps} substeps` : '')],
    ['duration of the test', d && (s.static ? chosen(d.end_s, 's') : `${chosen(run.last, 's')} of ${chosen(d.end_s, 's')}`)],
    ['control rate', d?.control_rate_hz ? `${count(d.control_rate_hz)} Hz` : ''],
    ['structure', d && [many(models.length, 'model'), specimens.length ? many(specimens.length, 'specimen') : '',
      many(d.sketch.substructures.reduce((n, x) => n + x.dof_count, 0), 'DoF')].filter(Boolean).join(', ')],
    ['rig', d?.rig ? (d.rig === 'virtual' ? 'virtual (simulated)' : d.rig) : d ? 'none: computed only' : ''],
    ['pace', s.realtime ? `${s.realtime.scale === 1 ? 'real time' : `real time, slowed ${number(s.realtime.scale, 3)} times`}${s.realtime.degraded ? ', degraded' : ''}` : s.finished !== undefined ? 'as fast as possible' : ''],
    ['commissioning', s.commissioning ? (s.commissioning.state === 'passed' ? `check-list passed, ${s.commissioning.date}, ${s.commissioning.by}` : `OVERRIDDEN by ${s.commissioning.by}: ${s.commissioning.reason} (${s.commissioning.instead_of})`) : ''],
    ['wall time', s.wall_s !== undefined ? duration(s.wall_s) : ''], ['note', run.note], ['settings changed', (run.overrides || '').trim().split('\n').filter(Boolean).join('; ')],
    ['machine', run.cpu], ['program', run.build],
  ].filter(([, v]) => v);
}

function head(run) {
  const v = verdict(run), card = h('div', { class: 'card' });
  card.append(
    h('div', { class: 'head' }, h('div', {}, h('h1', {}, run.title || run.label), h('p', { class: 'sub' }, [when(run), run.host, run.user].filter(Boolean).join(' · '))), mark()),
    h('div', { class: 'verdict' }, h('span', { class: `pill ${v.level}` }, v.word.toUpperCase()), ...(v.why.length === 1 ? [h('span', {}, v.why[0])] : v.why.length ? [h('ul', {}, ...v.why.map(w => h('li', {}, w)))] : [])));
  const e = run.explanation;
  if (e) card.append(h('p', { class: 'limited' }, e.words ? `What limited the test: ${e.words}.` : 'The recording alone does not tell what limited the test.',
    ...(e.command ? [' Reruns on the virtual rig with one cause removed each show more: ', h('code', {}, e.command)] : [])));
  const tiles = indices(run);
  if (tiles.length) card.append(h('div', { class: 'tiles' }, ...tiles.map(t => h('div', { class: 'tile', title: t.title }, h('b', {}, t.text), h('span', {}, t.words)))));
  card.append(h('dl', { class: 'facts' }, ...facts(run).map(([k, value]) => h('div', {}, h('dt', {}, k), h('dd', {}, value)))));
  page.append(card);
}

// ---- structure ----

function gauge(words, value, max, unit, action) {
  const share = Math.min(1, value / max), level = value >= max ? 'bad' : share > 0.7 ? 'warn' : 'computed';
  const g = h('div', { class: 'gauge' }, h('label', {}, words, h('span', {}, `${quantity(value, unit)} of ${chosen(max, unit)}${action ? `, then ${action}` : ''}`)));
  const bar = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  bar.setAttribute('viewBox', '0 0 100 8');
  bar.setAttribute('preserveAspectRatio', 'none');
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', `${number(100 * share, 2)} % of the limit`);
  for (const [x, w, fill] of [[0, 100, 'track'], [0, 98 * share, level], [98, .5, 'bad']]) {
    const r = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [k, value] of Object.entries({ x, width: w, height: 8, fill: `var(--${fill})` })) r.setAttribute(k, value);
    bar.append(r);
  }
  g.append(bar);
  return g;
}

function limitsOf(run, actuator) {
  const find = (stream, ...kinds) => kinds.map(k => run.find(stream, k, actuator.name)).find(Boolean);
  const used = {
    displacement: find('ticks', 'command') || find('system', 'command'),
    force: find('ticks', 'measured force') || find('system', 'measured force'),
    tracking_error: find('system', 'tracking error'),
    sensor_range: find('ticks', 'measured displacement'),
    acceleration: find('ticks', 'measured acceleration'),
  };
  // an actuator that is commanded by force has no limit of its command in m
  return actuator.limits.filter(l => used[l.limit]?.unit === l.unit).map(l => ({ ...l, used: used[l.limit].peak }));
}

function structure(run) {
  const d = run.description;
  if (!d) return;
  const grid = section('structure', 'Structure and setup'), drawing = sketch(d.sketch);
  if (drawing) card(grid, false, '', drawing, h('p', { class: 'note' }, 'Blue is computed, vermilion is tested. Dotted lines are interfaces, arrows are loads, hatched lines are supports.'));
  if (d.actuators.length) limits(card(grid, false, 'Use of the safety limits'), run);
  const parts = card(grid, false, 'Substructures', table(['name', 'kind', 'side', 'DoFs', ...(d.actuators.length ? ['actuators'] : [])], d.sketch.substructures.slice(0, 40).map(s => [s.name,
    s.role === 'physical' ? 'specimen' : s.kind, s.rate, count(s.dof_count), ...(d.actuators.length ? [s.actuators.join(', ') || '–'] : [])]), 3),
  d.sketch.interfaces.length ? h('p', { class: 'note' }, `Joined by ${d.sketch.interfaces.length} interface row${d.sketch.interfaces.length > 1 ? 's' : ''}.`) : '');
  if (d.sketch.loads.length) (d.actuators.length ? card(grid, false, 'Loads') : parts).append(d.actuators.length ? '' : h('h3', { class: 'second' }, 'Loads'), table(['on', 'what'],
    d.sketch.loads.slice(0, 20).map(l => [[l.substructure, l.dofs.length > 3 ? `${l.dofs.length} DoFs` : l.dofs.join(', ')].filter(Boolean).join(': '), l.words]), 2));
}

function limits(c, run) {
  for (const a of run.description.actuators.slice(0, 6)) {
    c.append(h('div', {}, h('b', {}, `Actuator ${a.name}`), h('span', { class: 'soft' }, ` on ${a.specimen}`)));
    const list = limitsOf(run, a);
    for (const l of list) c.append(gauge(l.words, l.used, l.max, l.unit, l.action));
    for (const [words, kind] of [['command', 'command'], ['force', 'measured force']]) {
      const channel = run.find('ticks', kind, a.name) || run.find('system', kind, a.name);
      if (channel && !list.some(l => l.words === words)) c.append(h('div', { class: 'gauge' }, h('label', {}, words, h('span', {}, `${quantity(channel.peak, channel.unit)}, no limit`))));
    }
  }
}

// ---- response ----

function response(run) {
  const grid = section('response', 'Response');
  const moved = run.all('system', 'displacement');
  for (const [unit, list] of byUnit(moved)) {
    const top = leading(list, 4), rotary = unit === 'rad';
    curves(grid, true, rotary ? 'Rotation' : 'Displacement', plainCurves(top), { height: 220 });
    curves(grid, false, rotary ? 'Rotational acceleration' : 'Acceleration', plainCurves(top.map(c => run.find('system', 'acceleration', c.owner)).filter(Boolean)));
    spectrum(grid, run, top.map(c => c.name), rotary ? 'Frequency content of the rotation' : 'Frequency content of the displacement', unit);
  }
  for (const [, list] of byUnit(run.all('system', 'load'))) curves(grid, false, 'Loads', plainCurves(list.slice(0, 4)));
  for (const [, list] of byUnit(run.all('system', 'multiplier'))) curves(grid, false, 'Interface forces', plainCurves(leading(list, 4)));
  for (const [, list] of byUnit(run.all('system', 'derived'))) curves(grid, false, 'Derived channels', plainCurves(leading(list, 5)));
  for (const [, list] of byUnit(run.all('system', 'sensor'))) curves(grid, false, 'Sensors of the rig', plainCurves(leading(list, 5)).map(s => ({ ...s, role: undefined })));
}

/* ---- frames: the moving structure, storeys, forces ---- */

/* Values of the storeys over the height, as steps: [values, heights]. */
function overHeight(storeys, of) {
  const x = [0], y = [0]; // the axis shows zero
  let low = 0;
  for (const s of storeys) { x.push(of(s), of(s)); y.push(low, s.height_m); low = s.height_m; }
  return [[...x, 0], [...y, low]];
}
const known = v => v !== null && v !== undefined;
const plus = (v, unit) => known(v) ? quantity(v, unit) : '–';
const percent = v => known(v) ? `${number(100 * v, 3)} %` : '–';

function frames(run) {
  const r = run.summary?.results, grid = section('frame', 'Frame'), shape = moving(run);
  if (shape) card(grid, true, 'The moving structure', shape.element);
  if (!r) return;
  const one = new Set(r.storeys.map(s => s.name.split('.')[2]));
  for (const d of one) {
    const storeys = r.storeys.filter(s => s.name.split('.')[2] === d), along = one.size > 1 ? ` along ${d}` : '';
    const profile = (title, x, of, at) => storeys.every(s => known(of(s))) && panel(grid, false, { title: title + along, kind: 'xy', unit: 'm', height: 250, x, series: [{ label: `largest ${x.label}`, raw: x.label, role: 'computed' }] },
      () => [at ? [[0, ...storeys.map(of)], [0, ...storeys.map(s => s.height_m)]] : overHeight(storeys, of)]);
    profile('Height', { label: 'storey drift in %', unit: '' }, s => known(s.peak) ? 100 * s.peak : null);
    profile('Height', { label: 'storey shear', unit: 'N' }, s => s.shear_N);
    profile('Height', { label: 'floor acceleration', unit: 'm/s2' }, s => s.acceleration_m_s2);
    profile('Height', { label: 'floor displacement', unit: 'm' }, s => s.displacement_m, true);
  }
  if (r.storeys.length) card(grid, true, 'Storeys', table(['storey', 'floor', 'largest drift', 'at', 'residual drift', 'shear', 'displacement', 'acceleration'],
    [...r.storeys].reverse().map(s => [s.name, s.floor, percent(s.peak), known(s.time_s) ? `${number(s.time_s, 4)} s` : '–', percent(s.residual), plus(s.shear_N, 'N'), plus(s.displacement_m, 'm'), plus(s.acceleration_m_s2, 'm/s2')]), 2),
  r.drift?.still_moving ? h('p', { class: 'note' }, `The structure still moves: what swings in the last period of ${number(r.drift.period_s, 3)} s is larger than the residual drift.`) : '');
  else if (r.note) card(grid, false, 'Storeys', h('p', { class: 'note' }, r.note));
  const forces = Object.entries(r.base || {}).filter(([, v]) => known(v.peak)).map(([k, v]) => [`base ${k === 'rz' ? 'moment' : `force along ${k}`}`, quantity(v.least, k === 'rz' ? 'N m' : 'N'), quantity(v.most, k === 'rz' ? 'N m' : 'N'), known(v.over_weight) ? `${number(100 * v.over_weight, 3)} %` : '']);
  for (const [k, v] of Object.entries(r.overturning || {})) if (known(v.peak)) forces.push([k, quantity(v.least, 'N m'), quantity(v.most, 'N m'), '']);
  for (const [k, v] of Object.entries(r.reactions || {}).filter(([, v]) => known(v.peak)).slice(0, 24)) forces.push([k, quantity(v.least, /\.r[xyz]$/.test(k) ? 'N m' : 'N'), quantity(v.most, /\.r[xyz]$/.test(k) ? 'N m' : 'N'), '']);
  if (forces.length) card(grid, true, 'Base and supports', table(['', 'least', 'largest', 'of the weight'], forces));
  const names = Object.keys(r.members[0] || {}).filter(k => k !== 'name'), moments = names.filter(k => /^M/.test(k)), most = m => Math.max(...moments.map(k => m[k] || 0));
  const members = r.members.filter(m => names.some(k => known(m[k]))).sort((a, b) => most(b) - most(a));
  if (members.length) card(grid, true, `Largest end forces${members.length > 20 ? `: the 20 members with the largest moments, of ${members.length}` : ''}`,
    table(['member', ...names], members.slice(0, 20).map(m => [m.name, ...names.map(k => plus(m[k], /^[MT]/.test(k) ? 'N m' : 'N'))])));
  hinges(grid, r.hinges);
  if (!members.length && r.members.length) card(grid, true, 'End forces', h('p', { class: 'note' }, 'The displacements or forces that they follow from were not recorded (record.channels).'));
}

function hinges(grid, list) {
  if (!list?.length) return;
  const worst = [...list].sort((a, b) => (b.ductility ?? 0) - (a.ductility ?? 0));
  card(grid, true, `Hinges${list.length > 20 ? `: the 20 with the largest ductility, of ${list.length}` : ''}`, table(['hinge', 'state reached', 'least rotation', 'largest', 'over that at yield'],
    worst.slice(0, 20).map(x => [x.name, x.state, plus(x.least_rad, 'rad'), plus(x.most_rad, 'rad'), known(x.ductility) ? number(x.ductility, 3) : '–']), 2));
}

/* Points of a quasi-static test: at the pauses, or at the ends of ways. */
function pauses(run) {
  const points = run.summary?.static?.points;
  if (!points?.length) return;
  const grid = section('static', 'Quasi-static test');
  panel(grid, false, { title: 'Restoring force', kind: 'xy', unit: 'N', height: 280, x: { label: 'displacement', unit: 'm' },
    series: [{ label: 'mean of each pause', raw: 'static.points', role: 'measured' }] }, () => [[points.map(p => p.displacement), points.map(p => p.force)]]);
  const far = [...points].sort((a, b) => a.target - b.target), ends = [['least', far[0]], ['largest', far.at(-1)]];
  card(grid, false, 'Ends', table(['', 'target', 'displacement', 'force'], ends.map(([w, p]) => [w, quantity(p.target, 'm'), quantity(p.displacement, 'm'), quantity(p.force, 'N')])), h('p', { class: 'note' }, `${count(points.length)} points.`));
}

function spectrum(grid, run, names, title, unit) {
  const found = names.map(n => run.streams.flatMap(s => s.spectra || []).find(s => s.name === n)).filter(Boolean);
  if (!found.length) return;
  panel(grid, false, { title, unit, kind: 'time', x: { label: 'frequency', unit: 'Hz', log: true }, y: { log: true, decades: 5 }, note: 'amplitude spectrum',
    series: found.map((s, i) => ({ label: ownerWords(s), raw: s.name, role: 'other', index: i })) },
  () => { const x = floats(found[0].frequency); return [x, ...found.map((s, i) => i ? resample(floats(s.frequency), floats(s.amplitude), x) : floats(s.amplitude))]; });
}

/* Any channel: search, tick, see. Channels of one unit and stream share a panel. */
function explorer(run) {
  const grid = section('channels', 'Every channel');
  const host = h('div'), list = h('ul', { 'aria-label': 'channels' }), search = h('input', { type: 'search', placeholder: `search ${run.channels.length} channels`, 'aria-label': 'search channels' });
  const chosen = new Set(), charts = [];
  const show = () => {
    while (charts.length) charts.pop().destroy();
    const groups = new Map();
    for (const c of chosen) { const key = `${c.stream.name} ${c.unit}`; (groups.get(key) || groups.set(key, []).get(key)).push(c); }
    for (const group of groups.values()) {
      const c = chart(host, { title: group.length === 1 ? group[0].words : 'Channels', unit: group[0].unit, link: group[0].stream.name, height: 200,
        note: group[0].stream.name, series: group.map((x, i) => ({ label: x.words, raw: x.name, role: 'other', index: i })) });
      c.set([run.time(group[0]), ...group.map(x => run.beside(x, group[0]))]);
      charts.push(c);
    }
    if (!chosen.size) host.replaceChildren(h('p', { class: 'note' }, 'Tick channels on the left to draw them.')); else host.querySelector('p.note')?.remove();
  };
  const fill = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean), hits = run.channels.filter(c => wanted.every(w => `${c.words} ${c.name} ${c.stream.name}`.toLowerCase().includes(w)));
    list.replaceChildren(...hits.slice(0, 200).map(c => h('li', {}, h('label', { title: `${c.name} (${c.stream.name}), largest ${quantity(c.peak, c.unit)}` },
      Object.assign(h('input', { type: 'checkbox', onchange: e => { e.target.checked ? chosen.add(c) : chosen.delete(c); show(); } }), { checked: chosen.has(c) }),
      h('span', {}, c.words), h('em', {}, c.stream.name === 'system' ? '' : c.stream.name)))), ...(hits.length > 200 ? [h('li', { class: 'soft' }, `and ${hits.length - 200} more: search`)] : []));
  };
  search.addEventListener('input', fill);
  card(grid, true, '', h('div', { class: 'explore' }, h('div', {}, search, list), host));
  grid.parentElement.classList.add('screen');
  fill();
  show();
}

// ---- specimen ----

function loopPanel(grid, loop, title) {
  panel(grid, false, { title, kind: 'xy', unit: loop.y.unit, height: 250, x: { label: loop.role === 'measured' ? 'displacement' : 'deformation', unit: loop.x.unit },
    series: [{ label: `${loop.y.words} over ${loop.x.words}`, raw: `${loop.y.name} over ${loop.x.name}`, role: loop.role }] }, () => [[floats(loop.x.data), floats(loop.y.data)]]);
}

/* Each loop once, from the stream with the most rows. */
function loops(run) {
  const best = new Map();
  for (const name of ['system', 'fine', 'ticks']) for (const l of run.stream(name)?.loops || []) best.set(`${l.y.name} over ${l.x.name}`, l);
  return [...best.values()];
}

function specimen(run) {
  const list = loops(run), forces = run.all('system', 'measured force');
  if (!list.length && !forces.length) return;
  const grid = section('specimen', list.some(l => l.role === 'measured') || forces.length ? 'Specimen' : 'Elements', 'force over displacement: the area of a loop is the energy that was dissipated');
  for (const l of list) loopPanel(grid, l, `Hysteresis of ${ownerWords(l.y)}: force`);
  for (const [unit, group] of byUnit(forces)) {
    curves(grid, group.length > 1, unit === 'N m' ? 'Measured moment' : 'Measured force', group.slice(0, 5).map((channel, index) => ({ channel, index, role: group.length === 1 ? 'measured' : undefined })), { height: list.length % 2 ? 250 : 190 });
  }
}

// ---- actuators ----

function actuators(run) {
  const targets = run.all('system', 'target').filter(t => run.find('system', 'tracking error', t.owner));
  if (!targets.length) return;
  const grid = section('actuator', 'Actuators', 'how well the readings follow the targets'), tracking = run.summary?.tracking || {};
  // the name of a figure ends with its unit: peak_m, peak_N
  const figure = (t, name) => t[Object.keys(t).find(key => key.startsWith(name))], unitOf = (t, name) => t.unit || run.find('system', 'target', name)?.unit || 'm';
  const system = run.stream('system'), percent = v => v === null || v === undefined ? '–' : `${number(100 * v, 3)} %`, s = v => quantity(v, 's');
  if (Object.keys(tracking).length) card(grid, true, 'Tracking indices', table(['actuator', 'NRMS', 'largest error', 'residual delay', 'compensated', 'estimated', 'gain', 'synchronisation: amplitude', 'phase', 'roughness'],
    Object.entries(tracking).map(([name, t]) => [name, percent(t.nrms), quantity(figure(t, 'peak_'), unitOf(t, name)), s(t.delay_s), s(t.delay_used_s), s(t.delay_estimated_s), number(t.gain_estimated ?? t.frequency_domain?.amplitude, 4),
      number(t.synchronisation?.amplitude, 4), t.synchronisation ? `${number(t.synchronisation.phase_rad * 180 / Math.PI, 3)}°` : '–', quantity(figure(t, 'roughness_'), unitOf(t, name))])));
  for (const target of targets.slice(0, 6)) {
    const name = target.owner, measured = run.channels.find(c => c.stream === target.stream && c.kind.startsWith('measured ') && c.owner === name && c.unit === target.unit), error = run.find('system', 'tracking error', name);
    curves(grid, true, `Actuator ${name}: ${measured.kind.replace('measured ', '')}`, [{ channel: target, role: 'target', label: 'target' }, { channel: measured, role: 'measured', label: 'measured' }], { height: 210 });
    curves(grid, true, `Actuator ${name}: tracking error`, [{ channel: error, role: 'error', label: 'target minus measured' }], { height: 130, ...limitMark(run, target) });
    const sync = system.synchronisation.find(x => x.owner === name);
    if (sync) panel(grid, false, { title: `Actuator ${name}: synchronisation, measured`, kind: 'xy', unit: sync.y.unit, height: 230, x: { label: 'target', unit: sync.x.unit },
      series: [{ label: 'measured over target: a line is synchronous', raw: `${sync.y.name} over ${sync.x.name}`, role: 'measured' }] }, () => [[floats(sync.x.data), floats(sync.y.data)]]);
    const delay = system.delays.find(x => x.actuator === name), used = run.find('system', 'delay', name);
    if (delay) panel(grid, false, { title: `Actuator ${name}: delay`, unit: 's', height: 230, y: { zero: true }, link: '',
      note: 'residual: fit in windows', series: [{ label: 'residual delay', role: 'measured' }, ...(used ? [{ label: 'compensated delay', raw: used.name, role: 'computed' }] : [])] },
    () => { const t = floats(delay.time); return [t, floats(delay.delay), ...(used ? [resample(run.time(used), run.values(used), t)] : [])]; });
  }
  demands(grid, run);
  if (targets.length > 6) grid.append(h('p', { class: 'note wide' }, `${targets.length - 6} more actuators: see “Every channel”.`));
}

/* What the test asked of each actuator, beside its capacity; force over speed within the curve of the actuator. */
function demands(grid, run) {
  const all = run.summary?.demand || {}, names = Object.keys(all).slice(0, 6);
  const unitsOf = name => run.find('system', 'measured force', name)?.unit === 'N m' ? ['rad', 'rad/s', 'N m'] : ['m', 'm/s', 'N'];
  const share = used => used === null || used === undefined ? '–' : h('span', { class: used >= 0.995 ? 'bad' : used > 0.85 ? 'warn' : '' }, used >= 0.995 ? 'all: at its limit' : `${number(100 * used, 3)} %`);
  const known = names.some(name => ['stroke', 'speed', 'force', 'valve'].some(what => all[name][what].used !== null));
  const rows = names.flatMap(name => {
    const d = all[name], units = unitsOf(name), of = (what, i) => [name, what, quantity(d[what].demand, units[i]), quantity(d[what].at_s, 's'), d[what].capacity === null ? '–' : quantity(d[what].capacity, units[i]), share(d[what].used)];
    return [of('stroke', 0), of('speed', 1), of('force', 2), [name, 'power', quantity(d.power_W, 'W'), quantity(d.power_at_s, 's'), '–', '–'],
      ...(d.sheet?.flow_m3_s ? [[name, 'flow of oil', `${number(60e3 * d.sheet.flow_m3_s, 3)}\u00a0l/min`, quantity(d.speed.at_s, 's'), '–', '–']] : []),
      ...(d.valve.used === null ? [] : [[name, d.sheet && d.sheet.area_m2 === null ? 'drive' : 'valve', '–', quantity(d.valve.at_s, 's'), '–', share(d.valve.used)]])];
  });
  const kept = row => row.slice(names.length === 1 ? 1 : 0, known ? 6 : 4); // one actuator needs no column of its name
  if (rows.length) card(grid, true, known ? 'Demand and capacity' : 'Demand; no capacity is known', table(kept(['actuator', 'what', 'largest', 'at', 'capacity', 'used']), rows.map(kept), names.length === 1 ? 1 : 2));
  for (const d of (run.stream('system')?.demands || []).filter(x => names.includes(x.actuator))) {
    const limit = outline(all[d.actuator]), units = unitsOf(d.actuator);
    panel(grid, false, { title: `Actuator ${d.actuator}: ${units[2] === 'N m' ? 'moment' : 'force'}`, kind: 'xy', unit: units[2], height: 260, x: { label: 'speed', unit: units[1] },
      series: [{ label: d.used !== null ? `test: ${number(100 * d.used, 3)} % of force and speed, most at ${quantity(d.used_at, 's')}` : 'test; the capacity is not known', raw: `${d.actuator}.force over speed`, role: 'measured' },
        ...(limit ? [{ label: all[d.actuator].sheet ? 'capacity by the data sheet' : 'capacity', raw: `${d.actuator}.capacity`, role: 'reference' }] : [])] },
    () => [[floats(d.speed), floats(d.force)], ...(limit ? [limit] : [])]);
  }
  if (Object.keys(all).length > names.length) grid.append(h('p', { class: 'note wide' }, 'The summary has the demand on the other actuators.'));
}

/* The capacity in both directions: against the load by the curve or box, and its first line on to loads that help. */
function outline(demand) {
  const { sheet } = demand, box = demand.speed.capacity === null || demand.force.capacity === null;
  const speeds = sheet ? sheet.speeds_m_s : box ? null : [demand.speed.capacity, demand.speed.capacity], force = sheet ? sheet.force_N : demand.force.capacity;
  if (!speeds) return null;
  const v = [], F = [];
  for (const side of [1, -1]) {
    speeds.forEach((speed, i) => { v.push(side * speed); F.push(side * force * i / (speeds.length - 1)); });
    v.push(-side * (speeds[0] + (speeds.length - 1) * (speeds[0] - speeds[1])));
    F.push(side * force);
  }
  return [Float64Array.from([...v, v[0]]), Float64Array.from([...F, F[0]])];
}

function limitMark(run, target) {
  const limit = run.description?.actuators.find(a => a.name === target.owner)?.limits.find(l => l.limit === 'tracking_error' && l.unit === target.unit);
  return limit ? { marks: [{ value: limit.max, label: 'limit' }, { value: -limit.max, label: '' }] } : {};
}

// ---- accuracy ----

function accuracy(run) {
  const grid = section('accuracy', 'Accuracy'), s = run.summary || {};
  const references = leading(run.all('system', 'reference error'), 3);
  for (const error of references.slice(0, 1)) {
    const own = run.find('system', 'displacement', error.owner), reference = run.find('system', 'reference', error.owner);
    if (own && reference) curves(grid, true, 'Against the reference: displacement', [{ channel: reference, role: 'target', label: `${ownerWords(own)}, reference` }, { channel: own, role: 'computed', label: `${ownerWords(own)}, this run` }]);
  }
  for (const [, list] of byUnit(references)) curves(grid, false, 'Error against the reference', plainCurves(list), { y: {} });
  const gap = run.all('system', 'gap');
  for (const c of gap.filter(x => x.peak > 0)) curves(grid, false, c.unit === 'm' ? 'Largest interface gap, displacement' : 'Largest interface gap, velocity', [{ channel: c, role: 'computed', label: 'largest of all interfaces' }], { y: { zero: true } });
  const energy = run.all('system', 'energy').filter(c => !c.owner), error = energy.find(c => c.name === 'energy.error');
  curves(grid, false, 'Energy balance', energy.filter(c => c !== error && c.peak > 0).map((channel, index) => ({ channel, index, label: channel.words })), { y: { zero: true } });
  if (error && error.peak > 0) curves(grid, false, 'Error of the energy balance', [{ channel: error, role: 'computed', label: 'kinetic + stored + dissipated − work' }]);
  const rows = [];
  if (s.errors) rows.push(['error to the reference, displacement (NRMS)', `${number(100 * s.errors.displacement_nrms, 3)} %`], ['error to the reference, velocity (NRMS)', `${number(100 * s.errors.velocity_nrms, 3)} %`],
    ['largest error of a displacement', quantity(s.errors.displacement_max, 'm')]);
  if (s.energy) rows.push(['largest error of the energy balance', `${quantity(s.energy.error_max_J, 'J')} (${number(100 * s.energy.error_relative, 3)} % of the largest energy)`],
    ['dissipated energy', quantity(s.energy.dissipated_J, 'J')], ['work of the loads', quantity(s.energy.work_J, 'J')]);
  if (s.drift) rows.push(['largest interface gap, displacement', quantity(s.drift.displacement, 'm')], ['largest interface gap, velocity', quantity(s.drift.velocity, 'm/s')]);
  if (gap.length && gap.every(c => !(c.peak > 0))) rows.push(['interfaces', 'closed at every recorded step']);
  if (s.hybrid_loop) rows.push(['loop with the specimen, judged before the run', s.hybrid_loop.words]);
  if (rows.length) card(grid, false, 'In numbers', table(['index', 'value'], rows));
}

// ---- timing ----

function histogram(grid, title, distribution, words) {
  const { upper_s: upper, counts } = distribution.histogram || {};
  if (!upper?.length) return;
  panel(grid, false, { title, kind: 'bars', unit: '', height: 190, x: { label: `${words}, up to`, unit: '', labels: upper.map(u => quantity(u, 's', 2)) }, y: { log: true, min: 0.5 },
    series: [{ label: 'count', role: 'computed' }] }, () => [upper.map((u, i) => i), counts]);
}

function timing(run) {
  const s = run.summary;
  if (!s?.timing) return;
  const paced = s.realtime, grid = section('timing', 'Timing', paced ? `control period ${quantity(paced.period_s, 's')}` : 'not paced: computing times only');
  if (paced) histogram(grid, 'Lateness of the ticks: count', paced.lateness, 'lateness');
  histogram(grid, 'Computing time of a step: count', s.timing, 'computing time');
  const line = (name, t) => [name, ...['median_s', 'p90_s', 'p99_s', 'p999_s', 'largest_s'].map(k => quantity(t[k], 's'))];
  card(grid, Boolean(paced), 'Percentiles', table(['part', 'median', '90 %', '99 %', '99.9 %', 'largest'], [...(paced ? [line('lateness', paced.lateness)] : []), line('step', s.timing), ...Object.entries(s.stages || {}).map(([k, v]) => line(k, v))]));
  if (paced) {
    const causes = Object.entries(paced.causes).filter(([, n]) => n > 0);
    const c = card(grid, true, 'Deadlines', h('p', {}, s.missed_deadlines ? `${s.missed_deadlines} missed: ${causes.map(([k, n]) => `${n} ${k}`).join(', ')}.` : 'None was missed.', paced.slipped_periods ? ` The test clock paused for ${paced.slipped_periods} ticks.` : '',
      paced.degraded ? ` The machine did not grant real time: ${paced.refused}.` : ''));
    if (paced.misses?.length) c.append(table(['step', 'cause', 'over'], paced.misses.slice(0, 12).map(m => [String(m.step), m.cause, quantity(m.over_s, 's')])));
  }
}

// ---- events ----

const stateWords = { idle: 'idle', armed: 'actuators armed', starting: 'start ramp', running: 'running', paused: 'paused by the operator', ramping: 'end ramp', tripped: 'tripped', done: 'done' };
function events(run) {
  const ticks = run.stream('ticks'), tick = ticks && run.time(ticks).length > 1 ? (run.time(ticks).at(-1) - run.time(ticks)[0]) / (ticks.rows - 1) : null;
  const list = (ticks?.states || []).map(x => ({ time: x.time, words: stateWords[x.state] || x.state, level: { running: 'ok', paused: 'warn', tripped: 'bad' }[x.state] || '' }));
  for (const e of run.summary?.events || []) list.push({ time: tick !== null && e.tick !== undefined ? e.tick * tick : null, words: `${e.kind}: ${e.words}`, level: e.kind === 'trip' ? 'bad' : 'warn' });
  for (const line of (run.notes || '').split('\n').filter(Boolean)) {
    const [, at, words] = /^\S+ t = (\S+) s: (.*)$/.exec(line) || [null, null, line];
    list.push({ time: null, words: `note${at ? ` at ${chosen(+at, 's')} of the test` : ''}: ${words}`, level: '' });
  }
  if (run.note) list.unshift({ time: null, words: `note of the operator: ${run.note}`, level: '' });
  if (run.summary?.stop_reason) list.push({ time: null, words: run.summary.stop_reason, level: 'warn' });
  if (!list.length) return;
  list.sort((a, b) => (a.time ?? -1) - (b.time ?? -1));
  const grid = section('events', 'Events', ticks ? 'time since the actuators were armed' : '');
  card(grid, true, '', table(['event', 'time'], list.slice(0, 60).map(e => [h('span', { class: e.level }, e.words), e.time === null ? '' : chosen(e.time, 's')])), list.length > 60 ? h('p', { class: 'note' }, `and ${list.length - 60} more`) : '');
}

// ---- calibration ----

/* The recorded values of a channel and the raw numbers that they stand for: its first value, and its largest one either way. */
function rawBesideSI(run, grid, scales, zeros) {
  const actuators = run.description?.actuators || [];
  const recorded = name => { for (const s of ['ticks', 'system']) { const c = run.channels.find(x => x.stream.name === s && x.name === name); if (c) return c; } return null; };
  /* A command is shifted by where the rig stood when the zero of its quantity was taken; a reading has its zero taken off. */
  const zeroOf = c => { const a = actuators.find(x => c.channel === `${x.name}.command`); return a ? zeros.find(z => z.channel === `${a.name}.${a.command}`)?.command ?? 0 : c.zero; };
  const plain = x => String(+x.toPrecision(9)).replace('-', '−');
  const line = c => {
    const zero = zeroOf(c), values = recorded(c.channel), raw = c.raw || 'raw';
    const both = x => typeof x === 'number' ? [`${number((x + zero - c.offset) / c.scale, 5)} ${raw}`, `${number(x, 5)} ${c.unit}`] : ['–', 'not recorded'];
    const largest = values && (Math.abs(values.min ?? 0) > Math.abs(values.max ?? 0) ? values.min : values.max);
    return [c.channel, `1 ${raw} = ${plain(c.scale)} ${c.unit}`, `${plain(c.offset)} ${c.unit}`, `${plain(zero)} ${c.unit}`, ...both(values?.first), ...both(largest)];
  };
  card(grid, true, 'Channels', table(['channel', 'scale', 'offset', 'zero', 'first, raw', 'first', 'largest, raw', 'largest'], scales.map(line)),
    h('p', { class: 'note' }, 'raw = (SI value + zero − offset) / scale, of the recorded values: a reading behind its filter, where the channel has one.'));
}

function calibration(run) {
  const certificates = run.summary?.certificates || [], zeros = run.summary?.calibration || [];
  const scales = run.summary?.channel_scales || [];
  if (!certificates.length && !zeros.length && !scales.length) return;
  const grid = section('calibration', 'Calibration', 'what raw numbers mean, with which sensors, and which zeros');
  if (scales.length) rawBesideSI(run, grid, scales, zeros);
  if (certificates.length) card(grid, true, 'Certificates', table(['reading', 'sensor', 'serial number', 'certificate', 'calibrated', 'due', 'uncertainty (k = 2)', 'as found', 'as left'],
    certificates.map(c => [c.channel, c.sensor, c.serial, c.certificate, c.date, c.overdue_days > 0 ? h('span', { class: 'warn' }, `${c.due}, overdue by ${count(c.overdue_days)} days`) : c.due, `${number(100 * c.uncertainty, 3)} %`, number(c.as_found, 5), number(c.as_left, 5)])));
  if (zeros.length) card(grid, true, 'Zeros', table(['reading', 'zero', 'standard deviation', 'taken'], zeros.map(z => [z.channel, quantity(z.zero, z.unit), quantity(z.deviation, z.unit), z.date.replace('T', ' ')])));
}

// ---- the file ----

const quote = t => /^[\w./=:@%+-]+$/.test(t) ? t : `'${t.replace(/'/g, "'\\''")}'`;
function file(run) {
  const grid = section('file', 'File and rerun'), overrides = (run.overrides || '').split('\n').filter(Boolean);
  card(grid, true, 'To run it again', h('pre', {}, [`yoke run ${quote(run.experiment_path || 'FILE.yaml')}${overrides.map(o => ` --set ${quote(o)}`).join('')}${run.summary?.realtime ? ' --realtime' : ''}`,
    run.command && `# as it was started: ${run.command}`].filter(Boolean).join('\n')), h('p', { class: 'note' }, `Made with ${run.build || 'an unknown build'}; ${[run.cpu, run.blas, run.libraries].filter(Boolean).join('; ')}`));
  if (run.experiment) card(grid, true, h('span', {}, 'Experiment as run ', h('span', { class: 'as-is' }, run.experiment_path || '')), h('pre', { tabindex: 0, 'aria-label': 'experiment file' }, run.experiment)).classList.add('file');
}

// ---- several runs ----

function compare() {
  const card0 = h('div', { class: 'card compared' });
  card0.append(h('div', { class: 'head' }, h('div', {}, h('h1', {}, 'Comparison of runs'), h('p', { class: 'sub' }, runs.map(r => r.title).filter((t, i, a) => a.indexOf(t) === i).join(' · '))), mark()));
  const names = [...new Set(runs.flatMap(r => indices(r).map(x => x.words)))], all = runs.map(r => new Map(indices(r).map(x => [x.words, x])));
  const mark_ = i => { const e = h('i', { class: 'swatch' }); e.style.background = `var(--${styleOf({ index: i }).colour})`; return e; };
  const headRow = () => ['run', ...runs.map((r, i) => h('span', {}, mark_(i), r.label))];
  card0.append(table(headRow(), [
    ['verdict', ...runs.map(r => { const v = verdict(r); return h('span', { class: v.level, title: v.why.join('\n') }, v.word); })],
    ['first reason', ...runs.map(r => r.summary?.verdict?.reasons?.[0]?.text || '–')],
    ['date', ...runs.map(when)], ['method', ...runs.map(r => r.method || '–')], ['time step', ...runs.map(r => r.description ? chosen(r.description.step_s, 's') : '–')],
    ['settings changed', ...runs.map(r => (r.overrides || '').trim().split('\n').filter(Boolean).join('; ') || '–')],
    ...names.map(n => [n, ...all.map((m, i) => { const x = m.get(n), base = all[0].get(n); if (!x) return '–';
      const change = i && base?.value > 0 && x.value > 0 ? ` (${x.value >= base.value ? '+' : '−'}${number(Math.abs(100 * (x.value / base.value - 1)), 2)} %)` : ''; return x.text + change; })])]));
  page.append(card0);
  const common = one.channels.filter(c => runs.every(r => r.channels.some(x => x.name === c.name && x.stream.name === c.stream.name)));
  const same = (r, c) => r.channels.find(x => x.name === c.name && x.stream.name === c.stream.name);
  const overlay = (grid, c) => {
    const t = one.time(c), of = r => { const x = same(r, c), time = r.time(x); return time.length === t.length && time.every((v, i) => v === t[i]) ? r.values(x) : resample(time, r.values(x), t); };
    panel(grid, true, { title: c.words, unit: c.unit, link: c.stream.name, height: 200, series: runs.map((r, i) => ({ label: r.label, raw: c.name, role: i ? 'other' : 'target', index: i })) }, () => [t, ...runs.map(of)]);
    if (runs.every(r => r.stretch(same(r, c)) === 1))
      panel(grid, true, { title: `Difference to ${one.label}: ${c.words}`, unit: c.unit, link: c.stream.name, height: 130, series: runs.slice(1).map((r, i) => ({ label: r.label, raw: c.name, role: 'other', index: i + 1 })) },
        () => { const base = one.values(c); return [t, ...runs.slice(1).map(r => of(r).map((v, i) => v - base[i]))]; });
    else grid.append(h('p', { class: 'note wide' }, 'No difference is shown: there are too many rows to keep all of them in this page.'));
  };
  const pick = (kind, most) => leading(common.filter(c => c.stream.name === 'system' && c.kind === kind), most);
  let grid = section('response', 'Response');
  for (const c of pick('displacement', 3)) overlay(grid, c);
  for (const c of pick('acceleration', 1)) overlay(grid, c);
  const tracked = [...pick('tracking error', 2), ...pick('measured force', 2)];
  if (tracked.length) { grid = section('actuator', 'Actuators'); for (const c of tracked) overlay(grid, c); }
  const looped = loops(one).filter(l => runs.every(r => loops(r).some(x => x.y.name === l.y.name && x.stream === l.stream)));
  if (looped.length) {
    grid = section('specimen', 'Specimen');
    for (const l of looped.slice(0, 6)) panel(grid, false, { title: `Hysteresis of ${ownerWords(l.y)}: force`, kind: 'xy', unit: l.y.unit, height: 260, x: { label: l.role === 'measured' ? 'displacement' : 'deformation', unit: l.x.unit },
      series: runs.map((r, i) => ({ label: r.label, raw: `${l.y.name} over ${l.x.name}`, role: i ? 'other' : 'target', index: i })) },
    () => runs.map(r => { const x = loops(r).find(m => m.y.name === l.y.name && m.stream === l.stream); return [floats(x.x.data), floats(x.y.data)]; }));
  }
  const others = [...pick('reference error', 2), ...pick('energy', 4).filter(c => /error/.test(c.name)), ...pick('gap', 2)];
  if (others.length) { grid = section('accuracy', 'Accuracy'); for (const c of others) overlay(grid, c); }
  grid = section('peaks', 'Largest values');
  card(grid, true, '', table(headRow(), leading(common.filter(c => c.stream.name === 'system'), 1000).sort((a, b) => common.indexOf(a) - common.indexOf(b)).slice(0, 60)
    .map(c => [h('span', { title: c.name }, c.words), ...runs.map(r => quantity(same(r, c).peak, c.unit, 4))])));
}

// ---- all of it ----

if (runs.length > 1) compare();
else for (const part of [head, structure, frames, pauses, response, specimen, actuators, accuracy, timing, events, calibration, explorer, file]) {
  try { part(one); } catch (error) { page.append(h('p', { class: 'bad' }, `A part of this report could not be drawn (${part.name}): ${error.message}`)); }
}
/* A panel that would stand alone in its row takes all of it. */
function tidy(grid) {
  let alone = null;
  for (const c of [...grid.children, null]) {
    if (!c || c.classList.contains('wide')) { if (alone && !alone.classList.contains('square')) alone.classList.add('wide'); alone = null; } else alone = alone ? null : c;
  }
}
for (const s of sections) tidy(s.grid);
const shown = sections.filter(s => s.grid.childElementCount);
page.append(h('nav', { class: 'contents', 'aria-label': 'contents' }, ...shown.map(s => h('a', { href: `#${s.id}` }, s.title))), ...shown.map(s => s.s),
  h('footer', {}, 'Drag in a plot to zoom, double-click to see all of it. Every panel can be saved as a picture (PNG) or a table (CSV). Raw channel names are in the tooltips.'));
drawSome();
