// A real browser for the tests of the dashboard: Debian's Chromium. It notes every request and every word on the console,
// and a test fails over a request that leaves the origin or anything the console says.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { countCost } from '../test/costs/file-costs.ts';

/** The one that cannot have a window needs less. */
const program = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
export const hasBrowser = program !== undefined;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const screens = {
  laptop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} satisfies Record<string, BrowserContextOptions>;

/** One for all files of this process, with which it ends: to start one costs more than many a test. */
let browser: Promise<Browser> | undefined;

function launch(): Promise<Browser> {
  // Tests run as root in a container, where Chromium has no sandbox to enter.
  const executablePath = program ?? '';
  if (browser === undefined) countCost('browser');
  browser ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  return browser;
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Everything that was asked for, by method and address. */
  requests: { method: string; url: string; status: number | undefined }[];
  /** What the console said, and what broke in the page. Tests may take out what they expect. */
  said: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  path?: string;
  /** Before the page is opened. */
  prepare?: (page: Page) => Promise<void>;
}

/** A browser of its own with one page, at the address given. */
export async function visit(origin: string, { path = '/', prepare, ...options }: VisitOptions = {}): Promise<Visit> {
  countCost('page');
  const context = await (await launch()).newContext({ ...screens.laptop, reducedMotion: 'reduce', ...options });
  // Beside other tests a page may wait for its server for long; nothing here measures speed.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  await prepare?.(page);
  const seen: Visit = { page, context, requests: [], said: [] };
  watch(seen, page);
  onTestFinished(async () => {
    await context.close();
    expect(strangers(seen, origin)).toEqual([]);
    expect(seen.said).toEqual([]);
  });
  await page.goto(origin + path);
  return seen;
}

/** Another tab of the same browser; what it asks for and says counts too. */
export async function secondTab(seen: Visit, url: string): Promise<Page> {
  const page = await seen.context.newPage();
  watch(seen, page);
  await page.goto(url);
  return page;
}

function watch(seen: Visit, page: Page): void {
  page.on('request', (request) => {
    const entry = { method: request.method(), url: request.url(), status: undefined as number | undefined };
    seen.requests.push(entry);
    void request.response().then(
      (response) => {
        entry.status = response?.status();
      },
      () => {},
    );
  });
  page.on('console', (message) => {
    // Chromium notes every answer of 400 and above by itself; whether it was expected is the test's business. What it
    // calls verbose are its hints to developers, such as that a form for a new password names no user.
    const isNote = /^Failed to load resource/.test(message.text()) || message.type() === ('verbose' as string);
    if (!isNote) seen.said.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => seen.said.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    seen.said.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

function strangers({ requests }: Visit, origin: string): string[] {
  return requests
    .map(({ url }) => url)
    .filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url));
}

/** What axe finds serious on the page as it is. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids scripts from elsewhere; the tool comes in by the side door.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join('; ')}`,
    );
}
