// A real browser for the tests of the dashboard: Debian's Chromium. It notes every request and every word on the console,
// and a test fails over a request that leaves the origin or anything the console says.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { countCost } from '../test/costs/file-costs.ts';
import { everyPage } from '../test/rounds.ts';

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
  // To start a process for each page costs as much as to draw one: pages of one context, which is one origin, share theirs.
  const args = ['--no-sandbox', '--disable-gpu', '--renderer-process-limit=1'];
  browser ??= chromium.launch({ executablePath, args });
  return browser;
}

/** What visits have that ask for nothing special, one after the other: the scripts of the dashboard are loaded and compiled there. */
let kept: BrowserContext | undefined;

async function openContext(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await (await launch()).newContext({ ...screens.laptop, reducedMotion: 'reduce', ...options });
  // Beside other tests a page may wait for its server for long; nothing here measures speed.
  context.setDefaultTimeout(90_000);
  return context;
}

/** Nothing is left of visits before but what was loaded. */
async function forget(context: BrowserContext, page: Page, origin: string): Promise<void> {
  await context.clearCookies();
  const tools = await context.newCDPSession(page);
  await tools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb,cache_storage' });
  await tools.detach();
}

export interface Visit {
  page: Page;
  /** Whoever asks for it changes more than the page, such as its clock or its routes: it is used by nobody else then. */
  readonly context: BrowserContext;
  /** Everything that was asked for, by method and address. */
  requests: { method: string; url: string; status: number | undefined; atMs: number }[];
  /** What the console said, and what broke in the page. Tests may take out what they expect. */
  said: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  path?: string;
  /** Before the page is opened. */
  prepare?: (page: Page) => Promise<void>;
}

/** As a browser of its own with one page, at the address given. */
export async function visit(origin: string, { path = '/', prepare, ...options }: VisitOptions = {}): Promise<Visit> {
  countCost('page');
  const isPlain = Object.keys(options).length === 0;
  const before = isPlain ? kept : undefined;
  if (before !== undefined) kept = undefined;
  const context = before ?? (await openContext(options));
  const page = await context.newPage();
  if (before !== undefined) await forget(context, page, origin);
  await prepare?.(page);
  let isOwn = !isPlain;
  const seen: Visit = {
    page,
    get context() {
      isOwn = true;
      return context;
    },
    requests: [],
    said: [],
  };
  watch(seen, page);
  onTestFinished(async () => {
    if (isOwn || kept !== undefined) await context.close();
    else {
      await Promise.all(context.pages().map((each) => each.close()));
      kept = context;
    }
    expect(strangers(seen, origin)).toEqual([]);
    expect(seen.said).toEqual([]);
  });
  await page.goto(origin + path);
  return seen;
}

/** Another tab of the same browser; what it asks for and says counts too. */
export async function secondTab(seen: Visit, url: string): Promise<Page> {
  const page = await seen.page.context().newPage();
  watch(seen, page);
  await page.goto(url);
  return page;
}

function watch(seen: Visit, page: Page): void {
  const asked = new WeakMap<Request, Visit['requests'][number]>();
  page.on('request', (request) => {
    const entry = { method: request.method(), url: request.url(), status: undefined, atMs: performance.now() };
    asked.set(request, entry);
    seen.requests.push(entry);
  });
  page.on('response', (response) => {
    const entry = asked.get(response.request());
    if (entry) entry.status = response.status();
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

/** Parts of the navigation that were found good, by what they look like. */
const examined = new Set<string>();

/** In the page: the parts of the navigation, which is the same on every page, and what decides how they look. */
const navigation = `[...document.querySelectorAll('.rail > *')]`;
const look = `[innerWidth, document.documentElement.dataset.theme, document.querySelector('.shell')?.className].join()`;

/**
 * In the page: rows that differ from one above them in their words alone. What decides how something looks and what it is counts, but not
 * where a row stands, nor what it leads to.
 */
const repeated = `(() => {
  const told = /^(class|style|role|type|disabled|hidden|aria-(?!label|describedby|controls|activedescendant|rowindex|posinset))/;
  const shapeOf = (element, isRow) => {
    const attributes = element.getAttributeNames().map((name) => {
      const value = element.getAttribute(name);
      return told.test(name) && !(isRow && name === 'style') ? name + '=' + value : name + (value === '');
    });
    const inner = [...element.childNodes].map((node) => node.nodeType === 1 ? shapeOf(node) : node.textContent.trim() !== '');
    return '<' + [element.localName, ...attributes].join(' ') + '>' + inner.join('') + '</>';
  };
  const parents = new Set([...document.querySelectorAll('[role="row"], [role="option"], tr, li')].map((row) => row.parentElement));
  return [...parents].flatMap((parent) => {
    const seen = new Set();
    return [...parent.children].filter((row) => {
      const shape = shapeOf(row, true);
      return seen.has(shape) || !seen.add(shape);
    });
  });
})()`;

/**
 * In the page: of all looks of words below an element, the first with each, by what decides about it: all that styles may ask for, of the
 * element and of what it is in. Where it stands and what it says does not count.
 */
const looksBelow = `((root, isLeft) => {
  const told = /^(class|style|role|type|disabled|hidden|open|aria-(current|selected|pressed|checked|expanded|invalid|disabled|sort)|data-)/;
  const mix = (text, seed) => {
    let hash = seed;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 2654435761);
    return (hash ^ (hash >>> 15)) >>> 0;
  };
  const first = new Map();
  const walk = (element, one, other) => {
    if (isLeft.has(element)) return;
    const own = element.getAttributeNames().filter((name) => told.test(name)).sort();
    const text = '>' + element.localName + own.map((name) => name + '=' + element.getAttribute(name));
    const looks = [mix(text, one), mix(text, other)];
    const hasWords = 'placeholder' in element || [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    const key = ${look} + looks;
    if (hasWords && !first.has(key)) first.set(key, element);
    for (const child of element.children) walk(child, ...looks);
  };
  walk(root, 1, 2);
  return first;
})`;

/** Looks of words whose contrast was found good; to measure it is two thirds of the work. */
const contrasting = new Set<string>();

/** What axe finds serious on the page as it is; on one with a dialog over it, in the dialog. */
export async function seriousViolations(page: Page): Promise<string[]> {
  const { isThere, parts } = await page.evaluate<{ isThere: boolean; parts: string[] }>(
    `({ isThere: 'axe' in window, parts: ${navigation}.map(({ outerHTML }) => ${look} + outerHTML) })`,
  );
  // The policy of the page forbids scripts from elsewhere; the tool comes in by the side door.
  if (!isThere) await page.evaluate(axe);
  const known = parts.flatMap((part, index) => (examined.has(part) ? [index] : []));
  const { violations, isWhole, looks } = await page.evaluate<Examination>(`(async () => {
    const dialog = document.querySelector('dialog:modal');
    const parts = ${navigation};
    const good = ${JSON.stringify(known)}.map((index) => parts[index]).filter((part) => part !== undefined);
    const exclude = [...good, ...${repeated}];
    // Each rule has one impact; what those of less would find is not looked at.
    const lesser = axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate');
    const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]));
    const include = [dialog ?? document];
    const where = exclude.length > 0 ? { include, exclude } : { include };
    const isNew = new Map();
    if (${!everyPage}) {
      const contrasting = new Set(${JSON.stringify(everyPage ? [] : [...contrasting])});
      for (const [key, element] of ${looksBelow}(dialog ?? document.body, new Set(exclude))) {
        if (!contrasting.has(key)) isNew.set(key, element);
      }
      for (const element of isNew.values()) element.setAttribute('data-contrast', '');
      axe.configure({ rules: [{ id: 'color-contrast', selector: '[data-contrast]' }] });
    }
    const { violations } = await axe.run(where, { rules, resultTypes: ['violations'], preload: false });
    for (const element of isNew.values()) element.removeAttribute('data-contrast');
    return { violations, isWhole: dialog === null, looks: [...isNew.keys()] };
  })()`);
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} (${failureSummary})`).join('; ')}`,
    );
  if (serious.length === 0 && isWhole) for (const part of parts) examined.add(part);
  if (serious.length === 0) for (const each of looks) contrasting.add(each);
  return serious;
}

interface Examination {
  violations: Violation[];
  isWhole: boolean;
  /** Of words, that are new. */
  looks: string[];
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string; failureSummary: string }[];
}
