// Settings and comparing in a real browser.
import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser } from './browser.ts';
import { expectFitting, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

/** Of the real document, what is about one's own account: to draw all of it is seven seconds of work. */
async function leaveOwn(route: Route): Promise<void> {
  const answer = await route.fetch();
  const { paths, components, ...rest } = await answer.json();
  const left = Object.entries(paths).filter(([path]) => path.startsWith('/api/v1/users/me'));
  const schemas: Record<string, unknown> = {};
  const keep = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name in schemas) continue;
      schemas[name] = components.schemas[name];
      keep(schemas[name]);
    }
  };
  keep([left, { ...components, schemas: {} }]);
  const json = { ...rest, paths: Object.fromEntries(left), components: { ...components, schemas } };
  await route.fulfill({ response: answer, json });
}

/** Its administrator stays. */
const site = sharedServer(async (weft) => ({ weft, token: await weft.createAdmin() }));

describe.skipIf(!hasBrowser)('settings in the dashboard', () => {
  test('appearance, health, and the documentation that knows who came', async () => {
    const { weft } = await site();
    const { page, requests } = await visitSignedIn(weft, { path: '/settings', title: 'Settings' });
    await page.getByText('All systems operational').waitFor();
    await page.getByText('1.0.0').waitFor();

    await page.getByLabel('Dark').check();
    await page.getByLabel('Reduced').check();
    expect(await page.evaluate('JSON.stringify(document.documentElement.dataset)')).toBe(
      '{"theme":"dark","motion":"reduced"}',
    );
    expect(await page.evaluate('localStorage.getItem("weft.motion")')).toBe('reduced');

    if (!isLong) await page.route('**/openapi.json', leaveOwn);
    await page.getByRole('link', { name: 'API documentation' }).click();
    // With hundreds of operations, to look for one by its role takes a while each time, and what is in sight is drawn.
    const me = page.locator('.opblock-get:has([data-path="/api/v1/users/me"])');
    await page.locator('.opblock').first().waitFor();
    for (; !(await me.isVisible()); await page.mouse.wheel(0, 600))
      await page.evaluate('new Promise(requestAnimationFrame)');
    await me.getByRole('button', { name: 'get /api/v1/users/me', exact: true }).click();
    await me.getByRole('button', { name: 'Try it out' }).click();
    await me.getByRole('button', { name: 'Execute' }).click();
    const asked = () => requests.findLast(({ url }) => url.endsWith('/api/v1/users/me'));
    await eventually(
      async () => asked()?.status,
      (status) => status === 200,
    );
    await page.unrouteAll();

    await page.goto(`${weft.url}/manual`);
    await page.getByRole('searchbox').fill('hysteresis alarm');
    await page.locator('#found').getByRole('link').first().click();
    await page.waitForURL(/manual\/alarms\.html#/);
    await page.goto(`${weft.url}/settings`);

    await page.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete my account' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Type your e-mail address to confirm').fill(adminUsername);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await dialog.getByText(/You are the only administrator/).waitFor();
  });

  test('an account can be ended by its owner', async () => {
    const { weft, token } = await site();
    const json = { username: 'grace@example.org', password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/settings', title: 'Settings', username: json.username });
    await page.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete grace@example.org?' });
    await dialog.getByLabel('Type your e-mail address to confirm').fill(json.username);
    await dialog.getByRole('button', { name: 'Delete my account' }).click();
    await heading(page, 'Sign in');
    expect((await weft.login(json.username, password)).status).toBe(401);
  });
});

describe.skipIf(!hasBrowser)('comparing in the dashboard', () => {
  test('agents side by side, live, all of it in the address', async () => {
    const { weft, token } = await site();
    const report = async (ap_id: string, power_w: number) => {
      const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
      const json = { power_w, rssi_dbm: -60 };
      expect((await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json })).status).toBe(200);
    };
    for (const [ap_id, power] of [
      ['ap-1', 100],
      ['ap-2', 250],
    ] as const) {
      const json = { ap_id, password, configuration: { access_point_type: 'WiFi' } };
      expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
      await report(ap_id, power);
    }
    const labels = { token, json: { display_name: 'Great Hall' } };
    expect((await weft.request('PATCH', '/api/v1/agents/ap-2/labels', labels)).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/compare', title: 'Compare' });
    await page.getByText('Choose access points to compare').waitFor();
    await page.getByLabel('Add an access point').fill('nobody');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('No access point has this name').waitFor();
    for (const name of ['ap-1', 'Great Hall']) {
      await page.getByLabel('Add an access point').fill(name.toLowerCase());
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name }).waitFor();
    }
    await page.getByRole('button', { name: /^Power/ }).click();
    await page.getByRole('button', { name: /^RSSI|^Rssi/ }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?agents=ap-1%2Cap-2&metrics=power_w%2Crssi_dbm');
    const chart = page.getByRole('figure', { name: /Power/ });
    await chart.getByText('250').waitFor();
    await chart.getByText('100').waitFor();
    await chart.getByText('Great Hall').waitFor();
    await expectFitting(page);

    await report('ap-1', 137);
    await chart.getByText('137').waitFor();
    await page.reload();
    await chart.getByText('137').waitFor();
    await page.getByRole('button', { name: 'Remove ap-1' }).click();
    await eventually(
      () => chart.getByText('137').count(),
      (count) => count === 0,
    );
  });
});
