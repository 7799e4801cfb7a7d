// The report in a browser: it draws, can be zoomed, lets nothing of a file become markup, and prints without cut plots.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { axePath, check, complaints, file, folder, openPage, patience, program, test } from './harness.mjs';

const hostile = '</script><script>window.taken = 1</script><img src=x onerror=window.taken=1>';
const example = new URL('../../examples/spring-specimen/spring-specimen.yaml', import.meta.url);
const experiment = file('report.yaml', readFileSync(example, 'utf8').replace(/^title:.*$/m, `title: "${hostile}"   # ${hostile} <!--`)
  .replace(/^time:.*$/m, 'time: { step: 2 ms, end: 60 s, control_rate: 1000 Hz }'));
const run = async (...words) => {
  const p = program('run', experiment, '-q', ...words), code = await p.ended;
  return { code, text: p.text };
};
const open = async (path, options) => {
  const page = await openPage(`file://${path}`, options);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined);
  return page;
};
const report = join(folder, 'report', 'report.html');
let page; // of the report, for the tests that only look at it

await test('the report of a minute at 1 kHz is small, and soon ready', async () => {
  const made = await run('-o', join(folder, 'report'), '--note', hostile);

  check(made.code === 0, made.text);
  check(statSync(report).size < 5e6, `${statSync(report).size} bytes`);
  page = await open(report);
  const ready = await page.evaluate(() => performance.now());

  check(ready < 10000 * patience(), `ready after ${ready} ms`); // 0.6 s on an idle machine; tests share it
  check(await page.locator('.pill').textContent() === 'GOOD', 'verdict');
  for (const title of ['Structure and setup', 'Response', 'Specimen', 'Actuators', 'Accuracy', 'Timing', 'Events', 'File and rerun'])
    check(await page.locator('section > h2', { hasText: new RegExp(`^${title}`) }).count() === 1, `section ${title}`);
  check(await page.locator('canvas').count() >= 10, 'charts');
  check(await page.locator('svg.sketch').count() === 1, 'sketch');
  check(await page.locator('#actuator h3', { hasText: /^Demand/ }).count() === 1, 'demand on the actuators');
  check(await page.locator('#actuator figcaption', { hasText: /^Actuator a1: force \[k?N\] over speed \[mm\/s\]/ }).count() === 1, 'force over speed');
});

await test('a frame moves, and its storeys and forces are in tables', async () => {
  const portal = new URL('../../examples/hinged-portal/hinged-portal.yaml', import.meta.url).pathname, to = join(folder, 'frame');
  const p = program('run', portal, '-q', '-o', to, '--set', 'time.end=2.4', '--set', 'record={}');

  check(await p.ended === 0, p.text);
  const own = await open(join(to, 'report.html')), curve = () => own.locator('svg.moving path').nth(1).getAttribute('d');
  const largest = await curve();

  check(await own.locator('svg.moving g path').count() === 6 && await own.locator('svg.moving g path[data-state="1"]').count() >= 3, 'hinges');
  await own.locator('.player input').evaluate(e => { e.value = 0; e.dispatchEvent(new Event('input')); });
  const rest = await curve();
  check(rest !== largest && !/NaN/.test(rest + largest), 'the shape follows the slider');
  await own.locator('.player button', { hasText: 'Play' }).click();
  await own.waitForFunction(d => document.querySelectorAll('svg.moving path')[1].getAttribute('d') !== d, rest);
  await own.locator('.player button', { hasText: 'largest' }).click();
  check(await curve() === largest, 'back at the largest');
  const text = await own.locator('#frame').textContent();
  for (const words of ['drift.1.x', 'roof', 'overturning', 'portal.left-top', 'base force along x', 'yielded']) check(text.includes(words), words);
  await own.close();
});

await test('names, titles, notes and the file stay text in the report', async () => {
  check(await page.evaluate(() => window.taken) === undefined, 'a script of the file ran');
  check(await page.locator('h1').textContent() === hostile, 'title');
  check((await page.locator('.file pre').textContent()).includes(`# ${hostile} <!--`), 'file');
  check(await page.locator('img').count() === 0, 'an element of the file appeared');
});

await test('dragging zooms every plot over time, double click shows all again', async () => {
  const plot = page.locator('#response .u-over').first(), other = page.locator('#actuator .u-over').first();
  const picture = l => l.locator('xpath=..').locator('canvas').evaluate(c => c.toDataURL());

  await other.scrollIntoViewIfNeeded();
  const before = await picture(other);

  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();

  await page.mouse.move(box.x + 100, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 42, { steps: 5 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  const zoomed = await picture(other);

  check(zoomed !== before, 'the linked plot was not zoomed');
  await plot.dblclick({ position: { x: 50, y: 20 } });
  await page.mouse.move(5, 5);
  await page.waitForTimeout(100);
  check(await picture(other) === before, 'the double click did not reset');
});

await test('the cursor and the arrow keys read values out', async () => {
  const plot = page.locator('#response .plot').first();

  await plot.focus();
  await page.keyboard.press('ArrowRight');
  const text = await page.locator('#response .legend').first().textContent();

  check(/mm.*time .* s/.test(text), `legend says "${text}"`);
  check(/time .*frame/.test(await page.locator('#response .sr').first().textContent()), 'spoken text');
});

await test('every panel can be saved as a table', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#response button', { hasText: 'CSV' }).first().click()]);
  const lines = readFileSync(await download.path(), 'utf8').split('\n');

  check(lines[0] === '"time [s]","frame.x.u [m]"', lines[0]);
  check(lines.length > 1000 && lines[1].split(',').length === 2, `${lines.length} lines`);
});

await test('raw numbers stand beside SI values, by the table of the channels', async () => {
  const calibrated = program('run', experiment, '-q', '-o', join(folder, 'raw'), '--set', 'time.end=2 s', '--set',
    'channels={a1.command: {raw: count, scale: 5 um}, a1.displacement: {raw: count, scale: 5 um}, a1.force: {raw: V, scale: 25 kN/V, offset: -120 N, sign: -1}}',
    '--set', 'calibration={a1.displacement: {zero: 0.0005, command: 0.0004, date: "2026-11-16T09:30:00+0000"}}');

  check(await calibrated.ended === 0, calibrated.text);
  const other = await open(join(folder, 'raw', 'report.html')), value = text => Number(text.replace('−', '-').replace(/[^-\d.].*$/, ''));
  const rows = await other.locator('#calibration table').first().locator('tbody tr').evaluateAll(all => all.map(r => [...r.cells].map(c => c.textContent)));
  const expected = { 'a1.command': x => (x + 0.0004) / 5e-6, 'a1.displacement': x => (x + 0.0005) / 5e-6, 'a1.force': x => (x + 120) / -25e3 };

  check(rows.map(r => r[0]).join() === Object.keys(expected).join(), JSON.stringify(rows));
  for (const row of rows)
    for (const at of [4, 6]) {
      const raw = value(row[at]), should = expected[row[0]](value(row[at + 1]));

      check(Math.abs(raw - should) <= 1e-3 * Math.abs(should), `${row}: ${should}`);
      check(/ (count|V)$/.test(row[at]) && / (m|N)$/.test(row[at + 1]), `units: ${row}`);
    }
  check(Math.abs(value(rows[2][7])) > 10, 'largest force'); // not that of a rig at rest
  await other.close();
});

await test('any channel can be found and drawn', async () => {
  const section = page.locator('#channels');

  await section.locator('input[type=search]').fill('measured acceleration');
  check(await section.locator('li').count() === 1, 'search');
  await section.locator('input[type=checkbox]').check();
  check(await section.locator('canvas').count() === 1, 'chart');
});

await test('the report prints light on A4, and no plot is wider than the page', async () => {
  const page = await open(report, { colorScheme: 'dark' });

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 680, height: 900 }); // A4 inside its margins
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.waitForTimeout(200);
  const { wide, ground } = await page.evaluate(() => ({ wide: [...document.querySelectorAll('figure.chart')].filter(f => f.getBoundingClientRect().right > 681 || f.querySelector('canvas').getBoundingClientRect().right > f.getBoundingClientRect().right + 1).length,
    ground: getComputedStyle(document.querySelector('.card')).backgroundColor }));

  check(wide === 0, `${wide} plots are cut`);
  check(ground === 'rgb(255, 255, 255)', `cards are ${ground}`);
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });

  check(pdf.length > 50000, 'pdf');
  await page.close();
});

await test('the report of an unstable run shows all of its numbers, on a desk and on a telephone', async () => {
  const made = await run('-o', join(folder, 'unstable'), '--set', 'rig.specimen.stiffness=[[20 MN/m]]', '--set', 'time.end=10 s');

  check(made.code === 3, made.text);
  for (const width of [390, 1280]) {
    const page = await open(join(folder, 'unstable', 'report.html'), { viewport: { width, height: 844 } }), numbers = page.locator('.card', { has: page.locator('h3', { hasText: 'In numbers' }) });
    const { inner, outer } = await numbers.evaluate(c => ({ inner: c.querySelector('table').scrollWidth, outer: c.querySelector('.scroll').clientWidth }));

    check(/UNSTABLE/.test(await numbers.textContent()), 'the judgement of the loop');
    check(inner <= outer + 1, `at ${width} px the table is ${inner} px wide in ${outer} px`);
    check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `the page is wider than ${width} px`);
    await page.close();
  }
});

await test('runs are compared: overlaid, with differences and a table', async () => {
  const other = await run('-o', join(folder, 'other'), '--set', 'transfer.a1.compensator.delay=15 ms', '--set', 'time.end=10 s', '--no-report');
  const short = await run('-o', join(folder, 'short'), '--set', 'time.end=10 s', '--no-report');
  const made = program('report', join(folder, 'short'), join(folder, 'other'), '-o', join(folder, 'both.html'));

  check(other.code === 0 && short.code === 0 && await made.ended === 0, other.text + short.text + made.text);
  const page = await open(join(folder, 'both.html'));

  check(await page.locator('figcaption', { hasText: 'Difference to short' }).count() > 0, 'difference');
  const row = page.locator('tr', { hasText: 'tracking error a1, NRMS' });

  check(/\+\d+ %/.test(await row.textContent()), `indices: ${await row.textContent()}`);
  await page.close();
});

await test('the report is accessible (axe)', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(readFileSync(axePath, 'utf8'));
    const { violations } = await page.evaluate(() => globalThis.axe.run());

    check(!violations.length, violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' ')}`).join('\n'));
  }
});

await test('no page complained', () => check(!complaints.length, complaints.join('\n')));
