// Amplitude spectrum of the newest samples: mean removed, Hann window, radix-2 transform.

// In place; the length must be a power of two.
function transform(re, im) {
  const n = re.length;

  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;

    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2, angle = -2 * Math.PI / size;

    for (let k = 0; k < half; k++) {
      const c = Math.cos(angle * k), s = Math.sin(angle * k);

      for (let i = k; i < n; i += size) {
        const j = i + half;
        const x = re[j] * c - im[j] * s, y = re[j] * s + im[j] * c;

        re[j] = re[i] - x;
        im[j] = im[i] - y;
        re[i] += x;
        im[i] += y;
      }
    }
  }
}

// Single-sided amplitudes of `values`, one every `step` seconds. A sine of amplitude A gives a peak of A.
export function spectrum(values, step) {
  let n = 1;

  while (2 * n <= values.length)
    n *= 2;
  const re = new Float64Array(n), im = new Float64Array(n), from = values.length - n;
  let mean = 0;

  for (let i = 0; i < n; i++)
    mean += values[from + i] / n;
  for (let i = 0; i < n; i++)
    re[i] = (values[from + i] - mean) * (1 - Math.cos(2 * Math.PI * i / n)) / 2;
  transform(re, im);
  const count = n / 2, frequency = new Float64Array(count), amplitude = new Float64Array(count);

  for (let i = 0; i < count; i++) {
    frequency[i] = i / (n * step);
    amplitude[i] = 4 * Math.hypot(re[i], im[i]) / n; // 2 for one side, 2 for the mean of the window
  }
  return { frequency, amplitude };
}
