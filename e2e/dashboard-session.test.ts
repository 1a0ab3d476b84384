// The dashboard in a real browser, from the very first visit to a changed password: creating the administrator, signing
// in and out, in one tab and in two, and the session that ends while somebody is at work.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, screens, secondTab, seriousViolations, type Visit, visit } from './browser.ts';
import { follow, heading, signInHere, visitSignedIn } from './signed-in.ts';
import { serve, sharedServer } from './weft-here.ts';
import { adminUsername, eventually, password } from './weft-process.ts';

type Page = Visit['page'];

const signIn = (page: Page, secret = password) => signInHere(page, adminUsername, secret);

/** An empty network and its administrator, whose password stays. */
const empty = sharedServer(async (weft) => {
  await weft.createAdmin();
  return weft;
});

describe.skipIf(!hasBrowser)('the dashboard', () => {
  // On a phone the form is the same; that it fits there is seen by the layout's test.
  test.each(Object.entries(screens).slice(0, isLong ? 2 : 1))(
    'is set up by its first visitor, on a %s',
    async (_name, screen) => {
      const weft = await serve();
      const { page } = await visit(weft.url, screen);
      await heading(page, 'Create the administrator');
      expect(await seriousViolations(page)).toEqual([]);
      await page.getByLabel('E-mail address').fill('no address');
      await page.getByLabel('Password', { exact: true }).fill('short');
      await page.getByText('At least 8 characters').waitFor();
      await page.getByRole('button', { name: 'Create administrator' }).click();

      // Both fields say what is wrong, keep what was typed, and the first has the focus.
      await page.getByText(/not a valid email address/i).waitFor();
      await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe('no address');
      await expect.poll(() => page.locator('[aria-invalid="true"]').count()).toBe(2);
      await eventually(
        () => page.evaluate('document.activeElement.name'),
        (name) => name === 'username',
      );
      await page.getByLabel('E-mail address').fill(adminUsername);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByText('Strong').waitFor();
      await page.keyboard.press('Enter');
      await heading(page, 'Overview');
      await page.getByText('Your network is empty').waitFor();
      expect((await weft.login(adminUsername, password)).status).toBe(200);
    },
  );

  test('asks beyond this machine for the code that was printed at start', async () => {
    const weft = await serve({ env: { WEFT_PUBLIC_URL: 'http://127.0.0.1' } });
    const { page } = await visit(weft.url);
    await page.getByLabel('E-mail address').fill(adminUsername);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Set-up code').fill('WRONG-CODE');
    await page.getByRole('button', { name: 'Create administrator' }).click();
    await page.getByText(/Give the set-up code/).waitFor();
    await page.getByLabel('Set-up code').fill(weft.setupCode);
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
  });

  test('signs in, goes to the page that was asked for, and keeps the token in this tab only (W2, W4); a second tab needs no password, and both hear of a sign-out (W7)', async () => {
    const weft = await empty();
    const seen = await visit(weft.url, { path: '/agents?state=late' });
    const { page } = seen;
    await heading(page, 'Sign in');
    await signIn(page, 'not the password');
    await page.getByRole('alert').waitFor();
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe(adminUsername);
    await signIn(page);
    await heading(page, 'Access points');
    await expect.poll(() => page.url()).toBe(`${weft.url}/agents?state=late`);
    expect(await page.evaluate('sessionStorage.length')).toBe(1);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain('eyJ');
    await page.reload();
    await heading(page, 'Access points');

    const other = await secondTab(seen, `${weft.url}/agents`);
    await heading(other, 'Access points');
    await other.getByRole('button', { name: 'Your account' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(other, 'Sign in');
    await heading(page, 'Sign in');
    await page.getByText('You signed out in another tab.').waitFor();
    for (const tab of [page, other]) expect(await tab.evaluate('sessionStorage.length')).toBe(0);
    await page.goto(`${weft.url}/sign-in?next=${encodeURIComponent('//evil.test/')}`);
    await signIn(page);
    await heading(page, 'Overview');
    await expect.poll(() => page.url()).toBe(`${weft.url}/`);
  });

  test('a session that ends asks for the password over the page, and everything stays as it was', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const json = { ap_id: 'ap-1', password, configuration: {} };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    await page.getByLabel('Filter access points').fill('ap-');
    // A new password ends every token at once.
    const changed = { json: { password: `${password}!` }, token };
    expect((await weft.request('PUT', `/api/v1/users/${adminUsername}`, changed)).status).toBe(200);
    const dialog = page.getByRole('dialog', { name: 'Sign in to continue' });
    await dialog.waitFor();
    // It cannot be sent away, however often that is tried.
    for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
    await dialog.getByLabel('Password', { exact: true }).fill(`${password}!`);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Filter access points').inputValue()).toBe('ap-');
    await page.getByRole('row', { name: /ap-1/ }).waitFor();
  });

  test('a forgotten password is reset with the link from the message', async () => {
    const weft = await serve();
    await weft.createAdmin();
    const { page } = await visit(weft.url, { path: '/sign-in' });
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail address').fill(adminUsername);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('Check your e-mail').waitFor();
    const outbox = join(weft.folder, 'data', 'outbox');
    const [name] = await eventually(
      async () => (existsSync(outbox) ? readdirSync(outbox) : []).filter((file) => file.endsWith('.eml')),
      (files) => files.length > 0,
    );
    const mail = readFileSync(join(outbox, name!), 'utf8')
      .replaceAll(/=\r?\n/g, '')
      .replaceAll('=3D', '=');
    const link = /http\S+\/reset-password#token=[\w-]+/.exec(mail)?.[0] ?? '';
    // Half of the link leads to a hint, and the whole of it may then be pasted into the same tab: once the hint is there, and later.
    await page.addInitScript(`new MutationObserver((_, watching) => {
      if (!document.body?.textContent.includes('This link is incomplete')) return;
      watching.disconnect();
      location.hash = ${JSON.stringify(new URL(link).hash)};
    }).observe(document, { childList: true, subtree: true });`);
    await page.goto(link.split('#')[0]!);
    await page.getByLabel('New password', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toBe(`${weft.url}/reset-password`);
    await page.goto(link);
    await heading(page, 'Choose a new password');
    await page.getByLabel('New password', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toBe(`${weft.url}/reset-password`);
    await page.getByLabel('New password', { exact: true }).fill('violet-otter-harbour');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, 'violet-otter-harbour');
    await heading(page, 'Overview');
  });

  test('is reached whole by keyboard: search, pages, theme; says so while the server is away, keeps what it knew, and goes on by itself (W8)', async () => {
    const weft = await empty();
    // In a browser of its own, which has loaded nothing before.
    const { page, context } = await visitSignedIn(weft, { title: 'Overview', ...screens.laptop });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('acce');
    await page.keyboard.press('Enter');
    await heading(page, 'Access points');
    await eventually(
      () => page.evaluate('document.activeElement.textContent'),
      (text) => text === 'Access points',
    );
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme="dark"]').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await follow(page, '/no-such-page');
    await page.getByText('Page not found').first().waitFor();

    await follow(page, '/');
    await page.getByText('Your network is empty').waitFor();
    await context.setOffline(true);
    await page.getByRole('alert').filter({ hasText: 'Weft cannot be reached.' }).waitFor();
    await page.getByText('Your network is empty').waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /As of \d\d:\d\d:\d\d, not connected/ })
      .waitFor();
    // A page that was never opened cannot be had now; it comes by itself, with its styles.
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.getByText('This part of the dashboard could not be loaded.').waitFor();
    await heading(page, 'Compare');
    await context.setOffline(false);
    await page.getByText('Choose access points to compare').waitFor();
    expect(await page.evaluate('getComputedStyle(document.querySelector(".compare-choice")).display')).toBe('grid');
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('needs no storage of the browser', async () => {
    const weft = await empty();
    const denied = `for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });`;
    const prepare = (page: Page) => page.addInitScript(denied).then(() => {});
    const { page } = await visit(weft.url, { path: '/agents', prepare });
    await signIn(page);
    await heading(page, 'Access points');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await page.locator('html[data-theme="dark"]').waitFor();
  });
});
