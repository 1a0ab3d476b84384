// Apps and what they may do, in a real browser.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { password } from './weft-process.ts';

describe.skipIf(!hasBrowser)('apps in the dashboard', () => {
  test('an app is registered with a key made here, changed, given a new key, and deleted; a new one may do the least, and its form knows the access points and their commands', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    for (const [ap_id, commands] of [
      ['ap-lab-1', ['sleep', 'wake']],
      ['ap-lab-2', ['sleep']],
      ['roof-1', ['reboot']],
    ]) {
      const json = { ap_id, password, configuration: { commands } };
      expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    }
    const { page } = await visitSignedIn(weft, { path: '/apps', title: 'Apps' });
    await page.getByText('No apps yet').waitFor();
    await page.getByRole('link', { name: 'Register an app' }).click();
    await heading(page, 'Register an app');
    await page.getByText(/This app may read no access points; may not send commands; may not start emulated/).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('n'.repeat(129));
    await page.getByLabel('Ids or patterns').fill('ap-lab-*');
    await page.getByRole('combobox', { name: 'Commands' }).selectOption('limits');
    await page.getByRole('button', { name: 'Add a limit' }).click();
    await page.getByLabel('Command 1').fill('set_tx_power');
    await page.getByLabel('Argument 1').fill('dbm');
    await page.getByLabel('Maximum 1').fill('20');
    await page.getByRole('textbox', { name: 'Priority' }).fill('700');
    await page.getByText(/This app may read ap-lab-\*; may send set_tx_power \(dbm up to 20\) to them/).waitFor();
    await expectFitting(page);

    // Wrong fields say so in the server's words and keep what was typed.
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('Priority should be a number from 0 to 100').waitFor();
    await expect.poll(() => page.locator('[aria-invalid="true"]').count()).toBe(2);
    await page.getByLabel('Name', { exact: true }).fill('energy-saver');
    await page.getByRole('textbox', { name: 'Priority' }).fill('70');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    const secret = page.getByRole('dialog', { name: 'Key of energy-saver' });
    const key = (await secret.getByRole('status', { name: 'Key' }).textContent()) ?? '';
    expect(key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await weft.login('energy-saver', key, 'third_party_app')).status).toBe(200);
    expect((await weft.request('GET', '/api/v1/third_party_apps/energy-saver', { token })).body.permissions).toEqual({
      agents: ['ap-lab-*'],
      commands: { set_tx_power: { dbm: { max: 20 } } },
      emulator: false,
      priority: 70,
    });
    await secret.getByRole('button', { name: 'I have copied it' }).click();

    await heading(page, 'energy-saver');
    await page.getByRole('combobox', { name: 'Read access' }).selectOption('no');
    await page.getByRole('button', { name: 'Save permissions' }).click();
    await page.getByText('Permissions of energy-saver saved').waitFor();
    await page.getByRole('button', { name: 'Generate a new key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Generate a new key' }).click();
    const fresh = (await secret.getByRole('status', { name: 'Key' }).textContent()) ?? '';
    await secret.getByRole('button', { name: 'I have copied it' }).click();
    expect((await weft.login('energy-saver', key, 'third_party_app')).status).toBe(401);
    expect((await weft.login('energy-saver', fresh, 'third_party_app')).status).toBe(200);

    await page.getByRole('link', { name: 'All apps' }).click();
    await page.getByRole('row', { name: /energy-saver.*may not read/ }).click();
    await page.getByRole('button', { name: 'Delete app' }).click();
    await page
      .getByRole('dialog', { name: 'Delete energy-saver?' })
      .getByRole('button', { name: 'Delete app' })
      .click();
    await page.getByText('No apps yet').waitFor();

    await follow(page, '/apps?register=1');
    await heading(page, 'Register an app');
    await page.getByLabel('Name', { exact: true }).fill('night-saver');
    // Nobody gives a new app everything by mistake.
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('Enter an id, a pattern or a site').waitFor();
    expect((await weft.request('GET', '/api/v1/third_party_apps/', { token })).body).toEqual([]);
    await page.getByLabel('Ids or patterns').fill('lab-*');
    await page.getByText('No access point matches these patterns now.').waitFor();
    await page.getByLabel('Ids or patterns').fill('ap-lab-*');
    await page.getByText('Matching access points now: 2').waitFor();
    await page.getByRole('combobox', { name: 'Commands' }).selectOption('list');
    await page.getByLabel('Command names').fill('slep');
    await page.getByText(/^slep No access point declares it\. Check the spelling\. Did you mean sleep\?$/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Add reboot/ }).count()).toBe(0);
    await page.getByLabel('Command names').fill('');
    await page.getByRole('button', { name: /^Add sleep/ }).click();
    await page.getByText('sleep declared by 2 of 2 access points').waitFor();
    await page.getByLabel('Key · optional').fill('secret key');
    await page.getByText('A key this short could be guessed.').waitFor();
    await expectFitting(page);
    await page.getByLabel('Key · optional').fill('');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('dialog', { name: 'Key of night-saver' }).waitFor();
    const { body } = await weft.request('GET', '/api/v1/third_party_apps/night-saver', { token });
    expect(body.permissions).toEqual({ agents: ['ap-lab-*'], commands: ['sleep'], emulator: false });
  });
});
