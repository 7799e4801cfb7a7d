// The documentation as a site: links can be read in light and in dark. node site.mjs YOKE CHROMIUM FOLDER
import { check, closeAll, failures, openPage, test } from './harness.mjs';

const site = process.argv[4];

// The smallest contrast of a link with what lies below it (WCAG 2.1).
const worst = () => {
  const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const numbers = c => c.match(/[\d.]+/g).map(Number), light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const below = e => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.9) return c; } return [255, 255, 255]; };
  let least = { contrast: 21, text: '' };

  for (const a of document.querySelectorAll('.md-content a[href]')) {
    if (!a.textContent.trim() || !a.getClientRects().length || a.classList.contains('headerlink'))
      continue;
    const [x, y] = [light(numbers(getComputedStyle(a).color)), light(below(a))].sort((p, q) => q - p), contrast = (x + 0.05) / (y + 0.05);

    if (contrast < least.contrast)
      least = { contrast, text: a.textContent };
  }
  return least;
};

try {
  await test('links of the site can be read in light and in dark', async () => {
    for (const colorScheme of ['light', 'dark'])
      for (const name of ['index.html', 'docs/tutorial.html']) {
        const page = await openPage(`file://${site}/${name}`, { colorScheme });

        // The theme chooses its scheme after the page is there, and links fade into its colour: the end of the fade counts.
        await page.waitForFunction(name => document.body.dataset.mdColorScheme === name, { light: 'default', dark: 'slate' }[colorScheme]);
        await page.evaluate(() => new Promise(requestAnimationFrame).then(() =>
          Promise.allSettled(document.getAnimations().map(a => a.finished))));
        const { contrast, text } = await page.evaluate(worst);

        check(contrast >= 4.5, `${name}, ${colorScheme}: the link "${text}" has a contrast of ${contrast.toFixed(2)}`);
        await page.close();
      }
  });
} finally {
  await closeAll();
}
process.exit(failures() ? 1 : 0);
