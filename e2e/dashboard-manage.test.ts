// Access points as administrators manage them in a real browser: edited with an undo, deleted, and the tokens with which
// they register themselves.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

/** It is reached from elsewhere under another address. */
const env = {
  WEFT_PUBLIC_URL: 'https://weft.example.org',
  WEFT_ADMIN_USERNAME: adminUsername,
  WEFT_ADMIN_PASSWORD: password,
};
const site = sharedServer(async (weft) => {
  const token = (await weft.login(adminUsername, password)).body.access_token as string;
  const configuration = {
    access_point_type: 'WiFi',
    site: 'Bristol',
    geolocation: { latitude: 51.4, longitude: -2.6, altitude: 12 },
    commands: ['sleep', 'wake'],
    vendor: { firmware: '1.2' },
  };
  for (const ap_id of ['ap-1', 'ap-2']) {
    const json = { ap_id, password, configuration };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  }
  const stored = async () => (await weft.request('GET', '/api/v1/agents/ap-1', { token })).body.configuration;
  return { weft, token, configuration, stored };
}, env);

describe.skipIf(!hasBrowser)('managing access points in the dashboard', () => {
  test('one is edited without losing what the form does not show, restored, and deleted by its name', async () => {
    const { weft, token, configuration, stored } = await site();
    const { page } = await visitSignedIn(weft, { path: '/agents/ap-1', title: 'ap-1' });
    await page.getByRole('button', { name: 'Name, site, tags' }).click();
    const labels = page.getByRole('dialog', { name: 'Name, site and tags of ap-1' });
    await labels.getByRole('textbox', { name: /^Display name/ }).fill('Hall, north door');
    await labels.getByRole('textbox', { name: /^Tags/ }).fill('roof, north');
    await labels.getByRole('combobox', { name: /^Site/ }).fill('uk/nowhere');
    await labels.getByRole('button', { name: 'Save' }).click();
    await labels.getByRole('alert').waitFor();
    await labels.getByRole('combobox', { name: /^Site/ }).fill('');
    await labels.getByRole('button', { name: 'Save' }).click();
    await heading(page, 'Hall, north door');
    await page.getByText('north, roof', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await heading(page, 'ap-1');

    await page.getByRole('button', { name: 'Location and interval' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit ap-1' });
    await expect.poll(() => dialog.getByLabel('Location').inputValue()).toBe('51.4, -2.6');
    await dialog.getByLabel('Location').fill('somewhere');
    await dialog.getByLabel('Report interval in seconds').fill('0');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a number above 0').waitFor();
    await expect.poll(() => dialog.locator('[aria-invalid="true"]').count()).toBe(2);
    expect(await stored()).toEqual(configuration);
    await expectFitting(page);
    await dialog.getByLabel('Location').fill('51.5, -2.7');
    await dialog.getByLabel('Report interval in seconds').fill('15');
    await dialog.getByRole('button', { name: 'Set a new password' }).click();
    await dialog.getByLabel('New password').fill('another horse entirely');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('ap-1 saved').waitFor();
    expect(await stored()).toEqual({
      ...configuration,
      geolocation: { latitude: 51.5, longitude: -2.7, altitude: 12 },
      report_interval_seconds: 15,
    });
    expect((await weft.login('ap-1', 'another horse entirely', 'agent')).status).toBe(200);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Old configuration of ap-1 restored').waitFor();
    expect(await stored()).toEqual(configuration);

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete ap-1?' });
    await expect.poll(() => question.getByRole('button', { name: 'Delete access point' }).isDisabled()).toBe(true);
    await question.getByLabel('Type the name of the access point to confirm').fill('ap-1');
    await question.getByRole('button', { name: 'Delete access point' }).click();
    await heading(page, 'Access points');
    await page.getByText('ap-1 deleted').waitFor();
    expect((await weft.request('GET', '/api/v1/agents/ap-1', { token })).status).toBe(404);
  });

  test('enrolment tokens are listed with who made them, and revoked; the line has the public URL first, and warns of one that others do not reach', async () => {
    const { weft, token } = await site();
    const json = { ap_id_pattern: 'ap-hall-*', max_uses: 3 };
    const made = await weft.request('POST', '/api/v1/enrolment_tokens', { token, json });
    const agent = { ap_id: 'ap-hall-1', password, configuration: {} };
    const enrolled = { token: made.body.token, json: agent };
    expect((await weft.request('POST', '/api/v1/agents/public', enrolled)).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    await page.getByRole('button', { name: 'Register an access point' }).click();
    await page.getByRole('radio', { name: 'Several access points' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: 'ap-hall-*' });
    await entry.getByText(`2 of 3 left`).waitFor();
    await entry.getByText(`created by ${adminUsername}`).waitFor();
    await page.getByRole('button', { name: 'Revoke the token for ap-hall-*' }).click();
    await page
      .getByRole('dialog', { name: /^Revoke/ })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByText('Token for ap-hall-* revoked').waitFor();
    await eventually(
      () => entry.count(),
      (count) => count === 0,
    );
    expect((await weft.request('GET', '/api/v1/enrolment_tokens', { token })).body).toEqual([]);

    await page.getByRole('button', { name: 'Create enrolment command' }).click();
    await page.getByText(/curl -s https:\/\/weft\.example\.org\/api/).waitFor();
    const warning = page.getByText('Other machines cannot reach 127.0.0.1');
    await expect.poll(() => warning.count()).toBe(0);
    await page.getByLabel('Address of Weft').selectOption({ index: 1 });
    await page.getByText(/curl -s http:\/\/127\.0\.0\.1:\d+\/api/).waitFor();
    await warning.waitFor();
    await expectFitting(page);
  });

  test('people who are not administrators see no way to change one', async () => {
    const { weft, token } = await site();
    const json = { username: 'grace@example.org', password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/agents/ap-2', title: 'ap-2', username: json.username });
    await page.getByRole('heading', { name: 'Desired configuration' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^(Edit|Delete)$/ }).count()).toBe(0);
  });
});
