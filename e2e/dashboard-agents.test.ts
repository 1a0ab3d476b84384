// Agents in a real browser, with an emulated network behind them: the list, the charts of one, live values with and without
// the stream, and a list of ten thousand.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, screens, type Visit } from './browser.ts';
import { startDemo } from './demo-network.ts';
import { imagineFleet, routeFleet } from './imagined-fleet.ts';
import { expectFitting, heading, visitSignedIn } from './signed-in.ts';
import { serve, sharedServer } from './weft-here.ts';
import { eventually } from './weft-process.ts';

type Page = Visit['page'];

/** Nobody changes anything of this network. */
const demo = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  return { weft, token, agents: await startDemo(weft, token, { report_interval_seconds: 1 }) };
});

const firstRow = (page: Page) => page.getByRole('row').nth(1);
const figure = (page: Page, name: RegExp) => page.getByRole('figure', { name });
const latest = async (page: Page) =>
  (await figure(page, /^Chart of Throughput/)
    .locator('strong')
    .textContent()) ?? '';

describe.skipIf(!hasBrowser)('agents in the dashboard', () => {
  test('are listed, sorted, filtered and opened by keyboard, and the address says how', async () => {
    const { weft, agents } = await demo();
    // With some of the network's number: its last digits alone may stand in the middle of other names.
    const ending = agents.find(({ ap_id }) => ap_id.endsWith('-12'))!.ap_id.slice(-9);
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    await page.getByRole('row', { name: /5g-(.*-)?1 5G Online/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(13);
    await expectFitting(page);

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
    await page.getByRole('heading', { level: 1, name: /lifi-(.*-)?\d+$/ }).waitFor();
    // Back is the list as it was left.
    await page.goBack();
    await page.getByText('1 match.').waitFor();
    // Nobody is offline: the list says so, whichever filter it is, and one button shows all again.
    await page.getByLabel('State').selectOption('offline');
    await page.getByText('Nothing matches this filter.').waitFor();
    await page.getByLabel('Filter access points').fill('');
    await page.getByText('Nothing matches this filter.').waitFor();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByRole('row', { name: /5g-(.*-)?1 5G Online/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(13);
    await expect.poll(() => page.getByLabel('State').inputValue()).toBe('');
  });

  test('have charts that live, stop, go back in time, can be taken away as a file, and go on without the stream', async () => {
    const { weft, token, agents } = await demo();
    const [cell] = agents;
    const path = `/agents/${cell!.ap_id}`;
    const { page } = await visitSignedIn(weft, { path, title: cell!.name });
    await figure(page, /^Chart of Throughput/).waitFor();
    await page.getByText(/Last report: (just now|\d+ s ago); expected every 1 s/).waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText('"report_interval_seconds": 1').waitFor();
    await page.keyboard.press('Escape');
    await expectFitting(page);
    await live(page);

    await page.getByText(/^Metrics: 6 of \d+$/).click();
    await page.getByRole('checkbox', { name: 'CQI', exact: true }).check();
    await figure(page, /^Chart of CQI/).waitFor();
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
    // The answer is there before it is drawn; then the value stays, whatever is reported.
    const reportedAt = async () => {
      const { body } = await weft.request('GET', '/api/v1/metrics/presence', { token });
      return body.agents.find(({ ap_id }: { ap_id: string }) => ap_id === cell!.ap_id).last_seen as string;
    };
    await eventually(async () => {
      const [value, at] = [await latest(page), await reportedAt()];
      await eventually(reportedAt, (now) => now !== at);
      return value === (await latest(page));
    }, Boolean);

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

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`weft-${cell!.ap_id}.csv`);
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(head).toMatch(/throughput_mbps|metric/);
    expect(lines.length).toBeGreaterThan(0);

    // Without the stream values are asked for, and the dot says so.
    await page.route('**/api/v1/metrics/stream*', (route) => route.abort());
    await page.reload();
    await page.getByRole('status').filter({ hasText: 'Polling' }).waitFor();
    await live(page);
    await page.unroute('**/api/v1/metrics/stream*');
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
  });

  test('may be none, or thousands: only what is visible is drawn, and more come as it is scrolled', async () => {
    const count = isLong ? 10_000 : 2000;
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
  });
});

/** Waits until the latest value has changed twice: once may be the first. */
async function live(page: Page): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const before = await latest(page);
    await eventually(
      () => latest(page),
      (now) => now !== before,
    );
  }
}
