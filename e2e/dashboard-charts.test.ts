// The charts of an access point as a person reads them: one under the other on one time axis, one large; what is written on them, and what the
// crosshair says where nothing was measured.
import { describe, expect, test } from 'vitest';
import { hasBrowser, type Visit } from './browser.ts';
import { visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

type Page = Visit['page'];

interface Written {
  text: string;
  left: number;
  right: number;
  width: number;
  title: string;
}

/** Notes every word that is written on a canvas, and where, in pixels of the canvas. */
const listen = `
  window.written = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { e, a } = this.getTransform();
    const { actualBoundingBoxLeft: before, actualBoundingBoxRight: after } = this.measureText(text);
    const title = this.canvas.closest('figure')?.querySelector('h3')?.textContent ?? '';
    window.written.push({ text, left: e + a * (x - before), right: e + a * (x + after), width: this.canvas.width, title });
    return write.call(this, text, x, y, ...rest);
  };
`;
/** The library hides points by moving them out of the plot. */
const pointsShown = `[...document.querySelectorAll('.u-cursor-pt')].filter(
  (point) => !/translate\\(-/.test(point.style.transform),
).length`;
const written = (page: Page) => page.evaluate('window.written') as Promise<Written[]>;
const charts = (page: Page) => page.getByRole('figure', { name: /^Chart of / });

/** One access point, which reports when it is told to. */
async function withCell() {
  const weft = await serve();
  const token = await weft.createAdmin();
  const commands = [{ name: 'set_tx_power', params: { dbm: { type: 'number' } } }];
  const configuration = { access_point_type: '5G', report_interval_seconds: 60, commands };
  const json = { ap_id: 'cell-1', password, configuration };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  const agent = (await weft.login('cell-1', password, 'agent')).body.access_token;
  const usual = { throughput_mbps: 50, latency_ms: 4, load_pct: 30, rsrp_dbm: -80, cqi: 12 };
  let devices = 0;
  const report = async () => {
    devices += 1;
    const json = { ...usual, power_w: 90 + devices, connected_devices: devices };
    expect((await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json })).status).toBe(200);
  };
  await report();
  const query = new URLSearchParams({ agent_id: 'cell-1', command: '{"name":"set_tx_power","dbm":30}' });
  expect((await weft.request('POST', `/api/v1/send_command?${query}`, { token })).status).toBe(200);
  return { weft, report };
}

describe.skipIf(!hasBrowser)('charts of an access point', () => {
  test('stand one under the other on one time axis, one click enlarges, all that is written on them can be read; the crosshair gives a value where there is one, and none where nothing was measured', async () => {
    const { weft, report } = await withCell();
    const path = '/agents/cell-1?window=1h&metrics=connected_devices,throughput_mbps,power_w,latency_ms,rsrp_dbm,cqi';
    const prepare = (page: Page) => page.addInitScript(listen).then(() => {});
    const { page } = await visitSignedIn(weft, { path, title: 'cell-1', prepare });
    await eventually(
      () => page.locator('.chart canvas').count(),
      (count) => count === 6,
    );

    expect(await charts(page).count()).toBe(6);
    const plots = await Promise.all((await page.locator('.chart .u-over').all()).map((plot) => plot.boundingBox()));
    // The same moment is at the same place in all of them, and each is tall enough to read.
    expect(new Set(plots.map((plot) => `${plot!.x} ${plot!.width}`)).size).toBe(1);
    expect(plots.toSorted((a, b) => a!.y - b!.y)).toEqual(plots);
    expect(Math.min(...plots.map((plot) => plot!.height))).toBeGreaterThan(90);
    // The configuration is a click away.
    await expect.poll(() => page.getByText('"report_interval_seconds"').isVisible()).toBe(false);

    const power = page.getByRole('figure', { name: /^Chart of Power/ });
    const small = (await power.boundingBox())!;
    await page.getByRole('button', { name: 'Enlarge the chart of Power' }).click();
    await page.getByRole('button', { name: 'Shrink the chart of Power' }).waitFor();
    const large = (await power.boundingBox())!;
    expect(large.height).toBeGreaterThan(small.height * 1.8);
    await expect.poll(() => page.url()).toContain('chart=power_w');
    await page.getByRole('button', { name: 'Shrink the chart of Power' }).click();
    await expect.poll(() => page.url()).not.toContain('chart=');

    // Words are whole; devices are counted in whole numbers; a command is named where it was sent.
    const words = await eventually(
      () => written(page),
      (all) => all.some(({ text }) => text === 'set_tx_power'),
    );
    expect(words.filter(({ right, width, left }) => right > width + 1 || left < -1)).toEqual([]);
    // Times are written below the last of them, for all.
    const timed = words.filter(({ text }) => /^\d\d:\d\d/.test(text));
    expect(timed.length).toBeGreaterThan(6);
    expect(new Set(timed.map(({ title }) => title)).size).toBe(1);
    const counts = words.filter(({ text, title }) => title.startsWith('Connected devices') && /^[\d.\s]+$/.test(text));
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.filter(({ text }) => text.includes('.'))).toEqual([]);

    const value = power.locator('strong');
    await eventually(
      async () => (await value.textContent()) ?? '',
      (text) => /^\d/.test(text),
    );
    const plot = (await power.locator('.u-over').boundingBox())!;
    const pointAt = (share: number) => page.mouse.move(plot.x + plot.width * share, plot.y + plot.height / 2);
    // It is younger than a minute; this was half an hour ago.
    await pointAt(0.5);
    await eventually(
      async () => (await value.textContent()) ?? '',
      (text) => text === '–',
    );
    expect(await page.evaluate(pointsShown)).toBe(0);
    const newest = async () => {
      await report();
      await pointAt(0.997);
      return value.textContent();
    };
    await expect.poll(newest, { interval: 500 }).toMatch(/^\d/);
    expect(await page.evaluate(pointsShown)).toBeGreaterThan(0);
  });
});
