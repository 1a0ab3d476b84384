// A visit to the dashboard by somebody who has an account, straight to the page that is asked for.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { screens, seriousViolations, type Visit, type VisitOptions, visit } from './browser.ts';
import { adminUsername, password, type Weft } from './weft-process.ts';

export interface SignedInOptions extends VisitOptions {
  username?: string;
  /** Whose first heading says that the page is there. */
  title: string;
}

export async function visitSignedIn(
  weft: Weft,
  { username = adminUsername, title, prepare, ...options }: SignedInOptions,
): Promise<Visit> {
  const seen = await visit(weft.url, {
    ...options,
    async prepare(page) {
      await signInBefore(page, weft.url, username);
      await prepare?.(page);
    },
  });
  await heading(seen.page, title);
  return seen;
}

/** As the page for it does, whose drawing would be a good part of all that the browser does in the tests. */
async function signInBefore(page: Page, origin: string, username: string): Promise<void> {
  const form = { username, password };
  const answer = await page.request.post(`${origin}/api/v1/token/?login_type=user`, { form });
  expect(answer.status()).toBe(200);
  const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number };
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1]!, 'base64url').toString());
  const session = {
    token: access_token,
    username: claims.sub ?? username,
    isAdmin: (claims.roles ?? []).includes('admin'),
    expiresAt: Date.now() + expires_in * 1000,
    renewAt: Date.now() + expires_in * 500,
  };
  // Once, and in this tab only: who signs out there stays out, and other tabs ask this one. The browser forgets the name of a tab
  // on the way to a page with another policy; the session is still there then.
  await page.addInitScript(
    `if (origin === ${JSON.stringify(origin)} && name !== 'entered' && !sessionStorage.getItem('weft.session')) {
      name = 'entered';
      sessionStorage.setItem('weft.session', ${JSON.stringify(JSON.stringify(session))});
    }`,
  );
}

/** On the page that asks for it. */
export async function signInHere(page: Visit['page'], username = adminUsername, secret = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export function heading(page: Visit['page'], name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** As a link of the page itself leads there: to load a page anew is four times the work. */
export async function follow(page: Page, href: string): Promise<void> {
  await page.evaluate(`{
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(href)} });
    document.body.append(link);
    link.click();
    link.remove();
  }`);
}

/**
 * On both screens nothing is beside the dialog, in which on the large one there is nothing serious for people who use other means than eye
 * and mouse: to find out takes half a second. With `npm run test:long` on both, and on pages too, which the layout's test looks at.
 */
export async function expectFitting(page: Visit['page']): Promise<void> {
  if (!isLong && !(await page.evaluate<boolean>('document.querySelector("dialog:modal") !== null'))) return;
  for (const { viewport } of [screens.phone, screens.laptop]) {
    await page.setViewportSize(viewport);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > innerWidth || document.querySelector("main").scrollWidth > document.querySelector("main").clientWidth',
    );
    expect({ width: viewport.width, isTooWide }).toEqual({ width: viewport.width, isTooWide: false });
    if (isLong || viewport === screens.laptop.viewport) expect(await seriousViolations(page)).toEqual([]);
  }
}
