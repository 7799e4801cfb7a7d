// Layouts: which panels and which scope are shown. In the address, so that a link shows the same; and as files.
//
//   { version: 1, window_s: 10, panels: [{ kind, curves, x, wide, title }], scope: { ... } }
import { element, save } from './dom.js';

const KINDS = ['time', 'loop', 'spectrum'], MOST_PANELS = 40, MOST_CURVES = 64, LONGEST = 60000;

const texts = list => Array.isArray(list) && list.length <= MOST_CURVES && list.every(t => typeof t === 'string');

// What of `layout` can be used; null where it is no layout.
export function checked(layout) {
  if (!layout || layout.version !== 1 || !Array.isArray(layout.panels))
    return null;
  const panels = layout.panels.slice(0, MOST_PANELS).filter(p => p && KINDS.includes(p.kind) && texts(p.curves)
    && (p.kind !== 'loop' || typeof p.x === 'string')).map(p => ({
    kind: p.kind, curves: p.curves, ...(p.kind === 'loop' ? { x: p.x } : {}), ...(p.wide ? { wide: true } : {}),
    ...(typeof p.title === 'string' ? { title: p.title.slice(0, 80) } : {}),
  }));
  const window_s = Number(layout.window_s);

  return { version: 1, window_s: window_s >= 0.5 && window_s <= 3600 ? window_s : 10, panels,
    scope: layout.scope && typeof layout.scope === 'object' ? layout.scope : null };
}

export function toAddress(layout) {
  const bytes = new TextEncoder().encode(JSON.stringify(layout));

  return btoa(Array.from(bytes, b => String.fromCharCode(b)).join('')).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export function fromAddress(text) {
  if (!text || text.length > LONGEST)
    return null;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));

    return checked(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return null;
  }
}

export function toFile(layout, name) {
  save(`${name.replace(/[^\w.-]+/g, '-')}.layout.json`, new Blob([`${JSON.stringify(layout, null, 2)}\n`], { type: 'application/json' }));
}

// Asks for a file; calls `use(layout)` or `refuse(words)`.
export function fromFile(use, refuse) {
  const input = element('input', { type: 'file', accept: '.json,application/json', onchange: async () => {
    const [file] = input.files;

    try {
      const layout = file.size <= LONGEST ? checked(JSON.parse(await file.text())) : null;

      if (layout)
        use(layout);
      else
        refuse(`${file.name} is not a layout of this page`);
    } catch {
      refuse(`${file.name} is not JSON`);
    }
  } });

  input.click();
}
