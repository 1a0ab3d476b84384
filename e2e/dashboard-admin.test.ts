// What administrators do in a real browser: accounts, the audit log, conflicts and their rules.
import { describe, expect, test } from 'vitest';
import { hasBrowser, screens, seriousViolations, visit } from './browser.ts';
import { expectFitting, follow, heading, signInHere, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { adminUsername, password, type Weft } from './weft-process.ts';

async function site(): Promise<{ weft: Weft; token: string }> {
  const weft = await serve();
  return { weft, token: await weft.createAdmin() };
}

async function createUser(weft: Weft, token: string, username: string, role = 'user'): Promise<void> {
  const json = { username, password, roles: [role] };
  expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
}

describe.skipIf(!hasBrowser)('administration in the dashboard', () => {
  test('accounts are made, disabled, which their owner is told, enabled, and deleted; the last administrator stays', async () => {
    const { weft, token } = await site();
    await createUser(weft, token, 'bob@example.org');
    const { page } = await visitSignedIn(weft, { path: '/users', title: 'Users' });
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByLabel('E-mail address').fill(adminUsername);
    await page.getByRole('button', { name: 'Add user' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('E-mail address').fill('grace@example.org');
    await page.getByLabel('Password').fill('grace@example.org');
    await page.getByText('Weak: contains the name').waitFor();
    await page.getByLabel('Password').fill('');
    await page.getByRole('button', { name: 'Add user' }).click();
    const secret = page.getByRole('dialog', { name: 'Password of grace@example.org' });
    const made = (await secret.getByRole('status', { name: 'Password' }).textContent()) ?? '';
    expect((await weft.login('grace@example.org', made)).status).toBe(200);
    await secret.getByRole('button', { name: 'I have copied it' }).click();
    const row = (state: string) => page.getByRole('row', { name: new RegExp(`grace@example\\.org.*${state}`) });
    const dialog = page.getByRole('dialog');
    await row('Enabled').click();
    await expect.poll(() => page.url()).toContain('user=grace');
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('admin');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await page.getByText('grace@example.org is now an administrator').waitFor();

    const grace = await visit(weft.url, { path: '/settings' });
    await signInHere(grace.page, 'grace@example.org', made);
    await heading(grace.page, 'Settings');
    await row('Enabled').click();
    await dialog.getByText('Nobody can sign in with a disabled account.').waitFor();
    await expectFitting(page);
    await dialog.getByRole('button', { name: 'Disable user' }).click();
    const question = page.getByRole('dialog', { name: 'Disable grace@example.org?' });
    await question.getByText(/All sessions of this account end immediately/).waitFor();
    await question.getByText(/Its jobs, emulated networks and queued commands end now/).waitFor();
    await expectFitting(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Disable user' }).click();
    await question.getByRole('button', { name: 'Disable user' }).click();
    await page.getByText('grace@example.org disabled').waitFor();
    await row('Administrator Disabled').waitFor();
    await page.setViewportSize(screens.phone.viewport);
    await page.getByRole('gridcell', { name: 'Disabled' }).waitFor();
    await page.setViewportSize(screens.laptop.viewport);
    await page.getByLabel(/Filter/).fill('disabled');
    await page.getByRole('row', { name: /ada@example\.org/ }).waitFor({ state: 'detached' });
    await page.getByLabel(/Filter/).fill('');

    // Whoever was signed in is asked to sign in again, and told why that does not work.
    const told = grace.page.getByRole('dialog');
    await told.getByText('Your session has ended.').waitFor();
    await told.getByLabel('Password', { exact: true }).fill(made);
    await told.getByRole('button', { name: 'Sign in', exact: true }).click();
    await told.getByText('This account is disabled; an administrator can enable it').waitFor();
    expect(await seriousViolations(grace.page)).toEqual([]);

    // The last administrator who is enabled can neither step down nor go, nor be disabled by themselves.
    await page.getByRole('row', { name: /ada@example\.org/ }).click();
    await dialog.getByText('This is your account').waitFor();
    await dialog.getByText('Only another administrator can disable your account.').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Disable user' }).count()).toBe(0);
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('user');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await dialog.getByText(/First make another user an administrator, or enable a disabled administrator/).waitFor();
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await dialog.getByText(/First make another user an administrator/).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');

    await row('Disabled').click();
    await dialog.getByText(/^By ada@example\.org, /).waitFor();
    await dialog.getByRole('button', { name: 'Enable user' }).click();
    const enabling = page.getByRole('dialog', { name: 'Enable grace@example.org?' });
    await enabling.getByText('Old sessions stay ended.').waitFor();
    await enabling.getByRole('button', { name: 'Enable user' }).click();
    await page.getByText('grace@example.org enabled').waitFor();
    await told.getByRole('button', { name: 'Sign in', exact: true }).click();
    await told.waitFor({ state: 'detached' });

    // Of an account that is gone meanwhile, the page says so.
    await row('Enabled').click();
    await dialog.getByRole('button', { name: 'Disable user' }).click();
    expect((await weft.request('DELETE', '/api/v1/users/grace@example.org', { token })).status).toBe(200);
    await question.getByRole('button', { name: 'Disable user' }).click();
    await dialog.getByText(/^User not found/).waitFor();
    // The question, and the account below it unless the list has been read anew.
    const closed = async () => {
      await page.keyboard.press('Escape');
      return dialog.count();
    };
    await expect.poll(closed).toBe(0);
    await page.getByRole('row', { name: /bob@example\.org/ }).click();
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await page
      .getByRole('dialog', { name: 'Delete bob@example.org?' })
      .getByRole('button', { name: 'Delete user' })
      .click();
    await page.getByText('bob@example.org deleted').waitFor();
    expect((await weft.login('bob@example.org', password)).status).toBe(401);
  });

  test('conflicts are sentences; rules are read by all and changed by administrators; the audit log tells who did what', async () => {
    const { weft, token } = await site();
    // A hundred entries are a page.
    for (let n = 0; n < 100; n++) {
      const json = { app_name: `app-${n}`, api_key: 'a longer key', permissions: {} };
      expect((await weft.request('POST', '/api/v1/third_party_apps/', { token, json })).status).toBe(200);
    }
    await createUser(weft, token, 'grace@example.org');
    const agent = { ap_id: 'ap-3', password, configuration: { access_point_type: '5G', commands: ['sleep', 'wake'] } };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json: agent })).status).toBe(200);
    const send = async (app_name: string, command: string) => {
      const json = { app_name, api_key: 'a long enough key', permissions: {} };
      expect((await weft.request('POST', '/api/v1/third_party_apps/', { token, json })).status).toBe(200);
      const app = (await weft.login(app_name, 'a long enough key', 'third_party_app')).body.access_token;
      const path = `/api/v1/send_command?agent_id=ap-3&command=${command}&hold_seconds=600`;
      return (await weft.request('POST', path, { token: app })).status;
    };
    expect([await send('energy-saver', 'sleep'), await send('load-balancer', 'wake')]).toEqual([200, 409]);
    const { page } = await visitSignedIn(weft, { path: '/conflicts', title: 'Conflicts' });
    await page.getByText(/load-balancer asked to change power_state of ap-3 and was rejected/).waitFor();
    const sides = page.getByRole('definition');
    await sides.filter({ hasText: 'wake priority 50' }).waitFor();
    await sides.filter({ hasText: 'sleep priority 50' }).waitFor();
    await page.getByRole('link', { name: 'energy-saver', exact: true }).click();
    await heading(page, 'energy-saver');
    await page.goBack();
    await page.getByRole('link', { name: /^Rule 5g_/ }).click();
    // Who came for one rule changes its policy there.
    const sought = page.locator('tr[aria-current="true"]');
    await sought.getByLabel('Policy').selectOption('last_wins');
    await sought.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Conflict rules saved').waitFor();
    const { groups } = (await weft.request('GET', '/api/v1/conflicts/rules', { token })).body;
    expect(groups.filter(({ policy }: { policy: string }) => policy === 'last_wins')).toHaveLength(1);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByLabel('Reason').selectOption('merged');
    await page.getByText('No conflicts found').waitFor();

    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('row', { name: /5g_coverage/ }).waitFor();
    await page.getByRole('button', { name: 'Edit rules' }).click();
    const first = page.getByRole('group', { name: '5g_coverage' });
    await first.getByLabel('Policy').selectOption('merge');
    await page.getByLabel('Share of a site').fill('2');
    const save = page.getByRole('button', { name: 'Save rules' }).first();
    await save.click();
    await page.getByText('Enter 1 or less').waitFor();
    await page.getByLabel('Share of a site').fill('0.5');
    await save.click();
    await first.getByText('Policy merge needs min, max or mean').waitFor();
    await first.getByLabel('Merge method').selectOption('max');
    await save.click();
    await page.getByRole('row', { name: /5g_coverage.*Merge \(maximum\)/ }).waitFor();
    const rules = (await weft.request('GET', '/api/v1/conflicts/rules', { token })).body;
    expect([rules.groups[0].merge, rules.blast_radius.fraction]).toEqual(['max', 0.5]);

    // The log tells what was changed, not all that there is.
    await follow(page, '/audit');
    await page
      .getByRole('button', { name: /changed the conflict rules/ })
      .first()
      .click();
    const lines = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await lines.filter({ hasText: 'added: blast_radius.fraction: 0.5' }).waitFor();
    await lines.filter({ hasText: /removed: groups\.5g_coverage\.policy/ }).waitFor();
    await expect.poll(() => lines.count()).toBeLessThan(8);
    await page.getByRole('button', { name: /ada@example\.org created the user grace@example\.org/ }).click();
    await page.getByText('user_created').waitFor();
    await page.getByRole('button', { name: 'Copy the full hash' }).first().waitFor();
    await expectFitting(page);
    // Older entries, and those of a filter that is in the address.
    await page.getByRole('button', { name: 'Show older entries' }).click();
    await page.getByText('This is the first entry of the log.').waitFor();
    await page.getByRole('button', { name: /created the first administrator/ }).waitFor();
    await page.getByLabel('Target').fill('app-7');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /registered the app app-7/ }).waitFor();
    await expect.poll(() => page.locator('.audit-entry').count()).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: /registered the app app-7/ }).waitFor();
    await page.getByLabel('Action', { exact: true }).selectOption('user_removed');
    await page.getByText('No entries found').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: /created the user grace/ }).waitFor();

    const other = await visitSignedIn(weft, {
      path: '/conflicts?view=rules',
      title: 'Conflicts',
      username: 'grace@example.org',
    });
    await other.page.getByText('Only administrators can change these rules.').waitFor();
    await expect.poll(() => other.page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await follow(other.page, '/audit');
    await other.page.getByText('This page is for administrators').waitFor();
  });
});
