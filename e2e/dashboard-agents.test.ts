// Agents in a real browser: the list, the charts of one, live values with and without the stream, and a list of ten thousand.
// They report when a test says so: a network that does it by itself would be drawn all the time.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, screens, type Visit } from './browser.ts';
import { imagineFleet, routeFleet } from './imagined-fleet.ts';
import { follow, heading, visitSignedIn } from './signed-in.ts';
import { serve, sharedServer } from './weft-here.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

type Page = Visit['page'];

/** Four access points of each kind, all of them online; the first reports what a test wants. */
const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  const tokens: string[] = [];
  for (const [index, access_point_type] of ['5G', 'WiFi', 'LiFi'].flatMap((kind) => Array(4).fill(kind)).entries()) {
    const ap_id = `${access_point_type.toLowerCase()}-${index + 1}`;
    const json = { ap_id, password, configuration: { access_point_type, report_interval_seconds: 60 } };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    tokens.push((await weft.login(ap_id, password, 'agent')).body.access_token);
  }
  const usual = { power_w: 90, latency_ms: 4, connected_devices: 7, load_pct: 30, rsrp_dbm: -80, sinr_db: 20, cqi: 12 };
  const report = async (throughput_mbps: number, agent = tokens[0]!) => {
    const json = { throughput_mbps, ...usual };
    expect((await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json })).status).toBe(200);
  };
  for (const each of tokens) await report(50, each);
  return { weft, report };
});

const firstRow = (page: Page) => page.getByRole('row').nth(1);
const figure = (page: Page, name: RegExp) => page.getByRole('figure', { name });
const latest = async (page: Page) =>
  (await figure(page, /^Chart of Throughput/)
    .locator('strong')
    .textContent()) ?? '';

describe.skipIf(!hasBrowser)('agents in the dashboard', () => {
  test('are found by their display names in the address: one leads to its page, of several the ids are named', async () => {
    const { weft } = await network();
    const { body } = await weft.login(adminUsername, password, 'user');
    const call = async (ap_id: string, display_name: string | null) => {
      const path = `/api/v1/agents/${ap_id}/labels`;
      expect((await weft.request('PATCH', path, { token: body.access_token, json: { display_name } })).status).toBe(
        200,
      );
    };
    await call('5g-2', 'Clock tower');
    await call('wifi-6', 'Twins');
    await call('wifi-7', 'Twins');
    const { page } = await visitSignedIn(weft, { path: '/agents/Clock%20tower?window=5m', title: 'Clock tower' });
    await expect.poll(() => new URL(page.url()).pathname).toBe('/agents/5g-2');
    expect(page.url()).toContain('window=5m');
    await figure(page, /^Chart of Throughput/).waitFor();
    await follow(page, '/agents/Twins');
    await page.getByText('Access point not found').waitFor();
    for (const ap_id of ['wifi-6', 'wifi-7']) await page.getByRole('link', { name: ap_id, exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/agents/Twins');
    await page.getByRole('link', { name: 'wifi-7', exact: true }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/agents/wifi-7');
    for (const ap_id of ['5g-2', 'wifi-6', 'wifi-7']) await call(ap_id, null);
  });

  test('are listed, sorted, filtered and opened by keyboard, and the address says how', async () => {
    const { weft } = await network();
    const ending = 'fi-12';
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    await page.getByRole('row', { name: /\b5g-1 5G Online/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(13);

    await page.getByRole('button', { name: 'Type' }).click();
    await page.getByRole('button', { name: 'Type' }).click();
    await firstRow(page).getByText('WiFi', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toContain('sort=-access_point_type');
    await page.getByLabel('Type').selectOption('LiFi');
    await page.getByLabel('Filter access points').fill(ending);
    await page.getByText('1 match.').waitFor();
    await page.reload();
    await page.getByText('1 match.').waitFor();
    await expect.poll(() => page.url()).toContain('type=LiFi');
    await expect.poll(() => page.url()).toContain(`q=${ending}`);
    await page.getByRole('grid', { name: 'Access points' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'lifi-12' }).waitFor();
    // Back is the list as it was left.
    await page.goBack();
    await page.getByText('1 match.').waitFor();
    // Nobody is offline: the list says so, whichever filter it is, and one button shows all again.
    await page.getByLabel('State').selectOption('offline');
    await page.getByText('Nothing matches this filter.').waitFor();
    await page.getByLabel('Filter access points').fill('');
    await page.getByText('Nothing matches this filter.').waitFor();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByRole('row', { name: /\b5g-1 5G Online/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(13);
    await expect.poll(() => page.getByLabel('State').inputValue()).toBe('');
    await follow(page, '/agents/nobody');
    await page.getByText('Access point not found').waitFor();
  });

  test('have charts that live, stop, go back in time, can be taken away as a file, and go on without the stream', async () => {
    const { weft, report } = await network();
    const { page } = await visitSignedIn(weft, { path: '/agents/5g-1', title: '5g-1' });
    await figure(page, /^Chart of Throughput/).waitFor();
    await page.getByText(/Last report: (just now|\d+.(s|min) ago); expected every 60.s/).waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText('"report_interval_seconds": 60').waitFor();
    await page.keyboard.press('Escape');
    const live = async (throughput: number) => {
      await report(throughput);
      await expect.poll(() => latest(page)).toMatch(new RegExp(`^${throughput}\\D`));
    };
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    for (const throughput of [61, 62]) await live(throughput);

    await page.getByText(/^Metrics: 6 of \d+$/).click();
    await page.getByRole('checkbox', { name: 'Cqi', exact: true }).check();
    await figure(page, /^Chart of Cqi/).waitFor();
    await expect.poll(() => page.url()).toContain('cqi');
    await page.keyboard.press('Escape');

    for (const [name, seconds] of [
      ['1 minute', '60s'],
      ['30 days', '2592000s'],
      ['5 minutes', '300s'],
    ] as const) {
      const asked = page.waitForResponse(
        (response) => response.url().includes('metrics/series') && response.url().includes(`window=${seconds}`),
      );
      await page.getByRole('button', { name: /^Time window/ }).click();
      await page.getByRole('menuitemradio', { name, exact: true }).click();
      expect((await asked).status()).toBe(200);
    }

    await page
      .locator('.page-header')
      .getByText(/Good|Degraded|Bad|Unknown/)
      .waitFor();
    await page.getByRole('heading', { name: 'Last 24 hours' }).waitFor();
    // On a phone the state comes before what can be done about it.
    const topOf = async (part: string) => (await page.locator(part).boundingBox())!.y;
    await page.setViewportSize(screens.phone.viewport);
    await expect.poll(async () => (await topOf('.agent-state')) < (await topOf('.page-actions'))).toBe(true);
    await page.setViewportSize(screens.laptop.viewport);
    const past = () => page.waitForResponse((response) => /metrics\/series.*end=/.test(response.url()));
    const still = past();
    await page.getByRole('button', { name: 'Pause' }).click();
    await still;
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    // The value stays, whatever is reported; who goes on sees it at once.
    const paused = await latest(page);
    await report(63);
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await latest(page)).toBe(paused);

    // What stands still can be looked at closely; another window is seen at once.
    const box = (await figure(page, /^Chart of Throughput/)
      .locator('.u-over')
      .boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.9, box.y + 40, { steps: 4 });
    const zoomed = past();
    await page.mouse.up();
    expect((await zoomed).status()).toBe(200);
    await figure(page, /^Chart of Throughput/)
      .locator('canvas')
      .waitFor();
    await page.getByRole('button', { name: 'Reset zoom' }).first().waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('zoom')).toMatch(/Z\/.*Z$/);
    await page.getByRole('button', { name: /^Time window/ }).click();
    await page.getByRole('menuitemradio', { name: '15 minutes', exact: true }).click();
    await page.getByRole('button', { name: 'Reset zoom' }).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => latest(page)).toMatch(/^63\D/);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('weft-5g-1.csv');
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(head).toMatch(/throughput_mbps|metric/);
    expect(lines.length).toBeGreaterThan(0);

    // Without the stream values are asked for, and the dot says so.
    await page.route('**/api/v1/metrics/stream*', (route) => route.abort());
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'Polling' }).waitFor();
    for (const throughput of [64, 65]) await live(throughput);
    await page.unroute('**/api/v1/metrics/stream*');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  });

  // The list of devices, of the same parts, is scrolled to its end each time.
  test.runIf(isLong)(
    'may be none, or thousands: only what is visible is drawn, and more come as it is scrolled',
    async () => {
      const count = 10_000;
      const weft = await serve();
      await weft.createAdmin();
      const { page } = await visitSignedIn(weft, { path: '/agents/nobody', title: 'nobody' });
      await page.getByText('Access point not found').waitFor();
      await page.getByRole('link', { name: 'All access points' }).click();
      await heading(page, 'Access points');
      await page.getByText('No access points yet').waitFor();
      await routeFleet(page, imagineFleet(count));
      await page.goto(`${weft.url}/agents`);
      await page.getByRole('row', { name: /ap-00001/ }).waitFor();
      await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
      const grid = page.getByRole('grid', { name: 'Access points' });
      await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(count + 1));
      await grid.focus();
      await page.keyboard.press('End');
      await page.getByRole('row', { name: /ap-00200/ }).waitFor();
      await eventually(
        async () => {
          await page.keyboard.press('End');
          return page.getByRole('row', { name: /ap-0(0[4-9]|[1-9])/ }).count();
        },
        (count) => count > 0,
      );
      await page.mouse.move(600, 500);
      await page.mouse.wheel(0, -6000);
      await eventually(
        async () => page.url(),
        (url) => /at=\d{2,4}/.test(url),
      );
      await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
      // Where it was left is where it is found again.
      await page.reload();
      await eventually(
        () => grid.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop),
        (top) => top > 1000,
      );
    },
  );
});
