// The shape of a beam between its ends, and the states of its hinges.
export const add = (a, b, f = 1) => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/* The displacement in a member at xi = 0..1 from both ends: displacements u, rotations r (null: it turns freely). */
export function shape(from, to, u, r, xi) {
  const way = add(to, from, -1), L = Math.hypot(...way), e = way.map(v => v / L);
  const along = u.map(d => dot(d, e)), across = u.map((d, i) => add(d, e, -along[i])), chord = add(across[1], across[0], -1).map(v => v / L);
  let slope = r.map(t => t && cross(t, e)); // of the axis at the ends
  slope = slope.map((s, i) => s || (slope[1 - i] ? add(chord.map(v => 1.5 * v), slope[1 - i], -0.5) : chord));
  const H2 = xi * xi * (3 - 2 * xi), H1 = 1 - H2, H3 = xi * (1 - xi) * (1 - xi), H4 = xi * xi * (xi - 1);
  return [0, 1, 2].map(k => e[k] * (along[0] + xi * (along[1] - along[0])) + H1 * across[0][k] + H2 * across[1][k] + L * (H3 * slope[0][k] + H4 * slope[1][k]));
}

/* A factor of 1, 2 or 5 times a power of ten, that draws the largest displacement as about a twentieth of the size. */
export function factor(size, most) {
  const f = 0.05 * size / most, ten = 10 ** Math.floor(Math.log10(f));
  return f / ten >= 5 ? 5 * ten : f / ten >= 2 ? 2 * ten : ten;
}

/* The worst state of a hinge up to each row, by the points of its backbone: [of negative rotations, of positive ones]. */
export function worst(rotations, points) {
  let state = 0;
  return Array.from(rotations, v => {
    const side = v < 0 ? 0 : 1;
    if (points) [points.yield_rad, points.cap_rad, points.last_rad].forEach((limit, i) => { if (limit?.[side] > 0 && Math.abs(v) >= limit[side]) state = Math.max(state, i + 1); });
    return state;
  });
}
