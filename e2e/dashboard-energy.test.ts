// The page of energy in a real browser: how much was used and saved is there with one click, with a table for each question,
// and as a file.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { hasBrowser, seriousViolations } from './browser.ts';
import { visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { eventually } from './weft-process.ts';

describe.skipIf(!hasBrowser)('energy', () => {
  test('what was used and saved is one click away, by whom it was saved, and as a file', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const ask = (path: string, json?: object) =>
      weft.request('POST', `/api/v1${path}`, { token, ...(json && { json }) });
    const wifi = {
      access_point_type: 'WiFi',
      num_access_points: 2,
      locations: ['Bristol'],
      num_devices: 3,
      duration: 900,
    };
    const start_time = new Date(Date.now() - 900_000).toISOString();
    const { body: run } = await ask('/emulator/spinup', { emulators: [wifi], seed: 5, pace: 'stepped', start_time });
    const step = (seconds: number) => ask(`/emulator/${run.job_number}/step`, { seconds });
    await eventually(
      async () => (await step(1)).status,
      (status) => status === 200,
    );
    const query = new URLSearchParams({ agent_id: run.agents[0].ap_id, command: 'sleep' });
    expect((await ask(`/send_command?${query}`)).status).toBe(200);
    await step(600);

    const { page } = await visitSignedIn(weft, { path: '/', title: 'Overview' });
    await page.getByRole('link', { name: 'Energy', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Energy' }).waitFor();
    await page.getByText(/less than without the commands/).waitFor();
    const card = (label: string) => page.locator('.stat-card', { hasText: label });
    expect(await card('Used').textContent()).toMatch(/\d\s?Whby 2\saccess points/);
    expect(await card('Saved').textContent()).toMatch(/\d\s?m?Wh.*EUR, [\d.]+\sm?g/);
    const savings = page.getByRole('region', { name: 'What sleep and power commands have saved' });
    await savings.getByRole('row', { name: /ada@example.org 1 / }).waitFor();
    await savings.getByRole('row', { name: /Time without service/ }).waitFor();
    await savings.getByText(/“Used” \([\d.]+\s?[mk]?Wh\) is something else/).waitFor();
    await page
      .getByRole('table', { name: 'By technology' })
      .getByRole('row', { name: /WiFi 2/ })
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Export CSV' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem').first().click()]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/,WiFi,emulated,0\.\d+,0\.\d+,EUR,/);
  });
});
