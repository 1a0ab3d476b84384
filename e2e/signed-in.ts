// A visit to the dashboard by somebody who has an account, from the page that is asked for to signing in and there.
import { expect } from 'vitest';
import { screens, seriousViolations, type Visit, type VisitOptions, visit } from './browser.ts';
import { adminUsername, password, type WeftServer } from './weft-process.ts';

export interface SignedInOptions extends VisitOptions {
  username?: string;
  /** Whose first heading says that the page is there. */
  title: string;
}

export async function visitSignedIn(
  weft: WeftServer,
  { username = adminUsername, title, ...options }: SignedInOptions,
): Promise<Visit> {
  const seen = await visit(weft.url, options);
  await signInHere(seen.page, username);
  await heading(seen.page, title);
  return seen;
}

/** On the page that asks for it. */
export async function signInHere(page: Visit['page'], username = adminUsername): Promise<void> {
  await page.getByLabel('E-mail address').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export function heading(page: Visit['page'], name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** On both screens: nothing serious for people who use other means than eye and mouse, and nothing beside the page. */
export async function expectFitting(page: Visit['page']): Promise<void> {
  for (const { viewport } of [screens.phone, screens.laptop]) {
    await page.setViewportSize(viewport);
    const isTooWide = await page.evaluate(
      'document.documentElement.scrollWidth > innerWidth || document.querySelector("main").scrollWidth > document.querySelector("main").clientWidth',
    );
    expect({ width: viewport.width, isTooWide }).toEqual({ width: viewport.width, isTooWide: false });
    expect(await seriousViolations(page)).toEqual([]);
  }
}
