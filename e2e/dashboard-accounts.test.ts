// Accounts in a real browser: sessions that end where they should and last while they are used, and people who wait for
// an administrator.
import { describe, expect, test } from 'vitest';
import { hasBrowser, secondTab, seriousViolations, visit } from './browser.ts';
import { expectFitting, heading, signInHere, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { adminUsername, eventually, password, type Weft } from './weft-process.ts';

const newPassword = 'another horse entirely';

const tokenIn = (page: Awaited<ReturnType<typeof visit>>['page']): Promise<string> =>
  page.evaluate('JSON.parse(sessionStorage.getItem("weft.session"))?.token ?? ""');

const statusOf = async (weft: Weft, token: string) => (await weft.request('GET', '/api/v1/users/me', { token })).status;

describe.skipIf(!hasBrowser)('sessions in the dashboard', () => {
  test('sessions are listed and ended; a password is changed by whoever knows the old one; signing out ends the token, and says so if Weft could not be asked', async () => {
    const weft = await serve();
    const elsewhere = await weft.createAdmin();
    const seen = await visitSignedIn(weft, { path: '/settings', title: 'Settings' });
    const { page } = seen;
    const list = page.getByRole('region', { name: 'Sessions' }).getByRole('listitem');
    await list.nth(1).waitFor();
    await list.filter({ hasText: 'Chrome on Linux' }).filter({ hasText: 'this session' }).waitFor();
    await list.filter({ hasText: '127.0.0.1' }).first().waitFor();
    await list
      .filter({ hasNotText: 'this session' })
      .getByRole('button', { name: /^End the session/ })
      .click();
    await page.getByText('Session ended').waitFor();
    await eventually(
      () => list.count(),
      (count) => count === 1,
    );
    expect(await statusOf(weft, elsewhere)).toBe(401);

    const other = await secondTab(seen, `${weft.url}/settings`);
    await heading(other, 'Settings');
    const stranger = (await weft.login(adminUsername, password)).body.access_token;
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The current password is wrong').waitFor();
    expect((await weft.login(adminUsername, newPassword)).status).toBe(401);
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('short');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('[aria-invalid="true"]').waitFor();
    await page.getByLabel('New password').fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await expect.poll(() => page.getByLabel('Current password').inputValue()).toBe('');
    expect(await statusOf(weft, stranger)).toBe(401);
    // Both tabs are the same session, with the token that came with the change.
    expect(await statusOf(weft, await tokenIn(page))).toBe(200);
    await eventually(
      async () => (await tokenIn(other)) === (await tokenIn(page)),
      (isSame) => isSame,
    );
    await expect.poll(() => other.getByRole('dialog').count()).toBe(0);
    await other.close();

    const token = await tokenIn(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await eventually(
      () => statusOf(weft, token),
      (status) => status === 401,
    );
    await signInHere(page, adminUsername, newPassword);
    await heading(page, 'Settings');
    const { context } = seen;
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'Sign in');
    await page.getByText('You are signed out here, but Weft did not end your session').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await context.setOffline(false);
  });

  test('a session in use is renewed before its token expires', async () => {
    const weft = await serve();
    await weft.createAdmin();
    const { page, context, requests } = await visit(weft.url, { path: '/settings' });
    await context.clock.install();
    await signInHere(page);
    await heading(page, 'Settings');
    const first = await tokenIn(page);
    const renewals = () => requests.filter(({ url }) => url.endsWith('/api/v1/token/renew'));
    await page.clock.fastForward('29:00');
    expect(renewals()).toHaveLength(0);
    await page.clock.fastForward('02:00');
    await eventually(
      () => tokenIn(page),
      (token) => token !== first,
    );
    expect(renewals().map(({ method }) => method)).toEqual(['POST']);
    // Past the end of the first token.
    await page.clock.fastForward('29:30');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await statusOf(weft, await tokenIn(page))).toBe(200);
  });
});

describe.skipIf(!hasBrowser)('people who wait for approval in the dashboard', () => {
  test('are told so, and are approved or refused by an administrator, who can end their sessions', async () => {
    const weft = await serve({ env: { WEFT_SIGNUP: 'approve' } });
    const token = await weft.createAdmin();
    const signUp = async (page: Awaited<ReturnType<typeof visit>>['page'], name: string) => {
      await page.getByText('New accounts need approval').waitFor();
      await page.getByLabel('E-mail address').fill(name);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('Your account waits for approval').waitFor();
    };
    const { page: grace } = await visit(weft.url, { path: '/sign-up' });
    await signUp(grace, 'mallory@example.org');
    await grace.reload();
    await signUp(grace, 'grace@example.org');
    expect(await seriousViolations(grace)).toEqual([]);
    await grace.getByRole('link', { name: 'Sign in' }).click();
    await signInHere(grace, 'grace@example.org');
    await grace.getByText('This account waits for an administrator to approve it').waitFor();
    await grace.getByText('Ask an administrator to approve it under Users, then sign in.').waitFor();

    const { page } = await visitSignedIn(weft, { path: '/users', title: 'Users' });
    await page.getByRole('heading', { name: 'Waiting for approval: 2' }).waitFor();
    await page.getByRole('row', { name: /grace@example\.org.*Waiting/ }).waitFor();
    await page.getByRole('button', { name: 'Approve grace@example.org' }).click();
    await page.getByText('grace@example.org approved').waitFor();
    await page.getByRole('button', { name: 'Refuse mallory@example.org' }).click();
    const question = page.getByRole('dialog', { name: 'Refuse mallory@example.org?' });
    await question.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('mallory@example.org refused').waitFor();
    await page.getByRole('heading', { name: /Waiting for approval/ }).waitFor({ state: 'detached' });
    const names = (await weft.request('GET', '/api/v1/users/', { token })).body.map(
      ({ username }: { username: string }) => username,
    );
    expect(names.toSorted()).toEqual([adminUsername, 'grace@example.org']);

    await grace.getByRole('button', { name: 'Sign in' }).click();
    await heading(grace, 'Overview');
    await page.getByRole('row', { name: /grace@example\.org.*Enabled/ }).click();
    const dialog = page.getByRole('dialog', { name: 'grace@example.org' });
    await dialog.getByRole('button', { name: /^Keep for a display: Chrome on Linux/ }).click();
    const kept = page.getByRole('dialog', { name: 'Keep Chrome on Linux signed in for a display?' });
    await kept.getByText(/everybody at the display has the rights of grace@example\.org/).waitFor();
    await kept.getByRole('button', { name: 'Keep for a display' }).click();
    await page.getByText(/^The session can be renewed until/).waitFor();
    await expectFitting(page);
    await dialog.getByRole('button', { name: /^End the session of Chrome on Linux/ }).click();
    await dialog.getByText('No open sessions').waitFor();
    await grace.getByRole('dialog', { name: 'Sign in to continue' }).waitFor();
  });
});
