// What somebody is in the middle of when something comes between: another page, a restart, a lost connection.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { follow, heading, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { password } from './weft-process.ts';

const away = /As of \d\d:\d\d:\d\d, not connected/;

describe.skipIf(!hasBrowser)('work in the dashboard', () => {
  test('on rules and in forms is not lost by going elsewhere: one is asked first, at a link, at Back and at closing the tab, unless it is saved', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const configuration = { access_point_type: 'WiFi', commands: [{ name: 'set_tx_power', params: { dbm: {} } }] };
    const json = { ap_id: 'ap-1', password, configuration };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const app = { app_name: 'saver', api_key: 'a key that is long enough', permissions: {} };
    expect((await weft.request('POST', '/api/v1/third_party_apps/', { token, json: app })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/conflicts', title: 'Conflicts' });
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Edit rules' }).click();
    const share = page.getByLabel('Share of a site');
    const before = await share.inputValue();
    const isKept = () =>
      page.evaluate('window.dispatchEvent(new Event("beforeunload", { cancelable: true }))') as Promise<boolean>;
    const dialog = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
    expect(await isKept()).toBe(true);

    await share.fill('0.4');
    // The page takes note of what was typed with its next frame.
    await expect.poll(isKept).toBe(false);
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => share.inputValue()).toBe('0.4');
    await expect.poll(() => page.url()).toBe(`${weft.url}/conflicts?view=rules`);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.goBack();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => share.inputValue()).toBe('0.4');
    await expect.poll(() => page.url()).toBe(`${weft.url}/conflicts?view=rules`);

    // What is as it was needs no question; who means it, goes.
    await share.fill(before);
    await expect.poll(isKept).toBe(true);
    await share.fill('0.4');
    await expect.poll(isKept).toBe(false);
    await page.getByRole('link', { name: 'Sites', exact: true }).click();
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await heading(page, 'Sites');
    await expect.poll(() => page.url()).toBe(`${weft.url}/sites`);

    await follow(page, '/apps/saver');
    await heading(page, 'saver');
    const leaveFor = (name: string) => page.getByRole('link', { name, exact: true }).first().click();

    await page.getByLabel('Priority').fill('70');
    await expect.poll(isKept).toBe(false);
    await leaveFor('Sites');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.getByLabel('Priority').inputValue()).toBe('70');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(isKept).toBe(true);
    await leaveFor('Settings');
    await heading(page, 'Settings');

    await page.getByLabel('Current password').fill('half');
    await expect.poll(isKept).toBe(false);
    await leaveFor('Sites');
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await heading(page, 'Sites');

    await follow(page, '/agents/ap-1');
    await heading(page, 'ap-1');
    await page.getByLabel('Command', { exact: true }).selectOption('set_tx_power');
    expect(await isKept()).toBe(true);
    await page.getByLabel('dbm').fill('12');
    await expect.poll(isKept).toBe(false);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect.poll(isKept).toBe(true);

    await page.getByRole('button', { name: 'Location and interval' }).click();
    const edit = page.getByRole('dialog', { name: /ap-1/ });
    await edit.getByLabel('Location').fill('51.5, -2.6');
    await expect.poll(isKept).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => edit.getByLabel('Location').inputValue()).toBe('51.5, -2.6');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard changes' }).click();
    await edit.waitFor({ state: 'hidden' });
  });

  test('while Weft is away ages stand still and say as of when; after its restart the form forgets its error', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const configuration = { access_point_type: 'WiFi', commands: ['wake'], report_interval_seconds: 60 };
    const json = { ap_id: 'ap-1', password, configuration };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const agent = (await weft.login('ap-1', password, 'agent')).body.access_token;
    await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { power_w: 4 } });
    const { page } = await visitSignedIn(weft, { path: '/agents/ap-1', title: 'ap-1' });
    const age = page.getByText(/^Last report: (just now|\d+.(s|min) ago)/);
    await age.waitFor();
    // A page that a part is missing of is loaded anew when Weft is back.
    await page.locator('.chart canvas').first().waitFor();
    await page.getByLabel('Command', { exact: true }).selectOption('wake');
    const places = () =>
      page.evaluate(`[...document.querySelectorAll('h1, h2, .chart')].map((each) => each.getBoundingClientRect().top)`);
    const before = await places();

    await weft.stop();
    await page.getByRole('status').filter({ hasText: away }).waitFor();
    // One bar says so, over the page, in which nothing moves.
    await page.getByRole('alert').filter({ hasText: 'Weft cannot be reached.' }).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(1);
    expect(await places()).toEqual(before);
    await page.getByText(/As of \d\d:\d\d:\d\d, not connected: Last report/).waitFor();
    await expect.poll(() => age.count()).toBe(0);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const error = page.getByRole('form').getByRole('alert');
    await error.filter({ hasText: 'Weft cannot be reached.' }).waitFor();

    const { port } = new URL(weft.url);
    await serve({ env: { WEFT_DATA_DIR: join(weft.folder, 'data'), WEFT_PORT: port } });
    await page.getByText(away).first().waitFor({ state: 'detached' });
    await age.waitFor();
    await error.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Command', { exact: true }).inputValue()).toBe('wake');
  });
});
