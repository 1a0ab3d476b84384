// Every page of the dashboard at every width, as a person finds it a moment after opening: nothing beside or below the
// frame, no column too narrow to read, nothing that jumps while it loads, nothing on the console; and nothing serious for
// people who use other means than eye and mouse.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { draw } from '../test/draw.ts';
import { everyPage } from '../test/rounds.ts';
import { hasBrowser, seriousViolations, type Visit, type VisitOptions, visit } from './browser.ts';
import { type Furnished, furnish } from './furnished-weft.ts';
import { follow, signInHere, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { root } from './weft-process.ts';

interface Route {
  path: string;
  access: 'public' | 'user' | 'config' | 'admin';
}

const routesFile = pathToFileURL(join(root, 'dashboard', 'src', 'routes.ts')).href;
const { routes } = (await import(/* @vite-ignore */ routesFile)) as { routes: readonly Route[] };

type Page = Visit['page'];

interface Screen extends VisitOptions {
  viewport: { width: number; height: number };
}

/** Between the first two: every page is loaded there with `npm test -- --every-page`; else it is made as wide as one of them. */
const screensBetween: Record<string, Screen> = {
  '768 px': { viewport: { width: 768, height: 1024 } },
  '860 px': { viewport: { width: 860, height: 900 } },
  '1024 px': { viewport: { width: 1024, height: 768 } },
  // What a laptop's window leaves to the page at 200 %.
  '1440 px at 200 %': { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
};
const screens: Record<string, Screen> = {
  '390 px': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  '1440 px': { viewport: { width: 1440, height: 900 } },
  ...screensBetween,
};
/** Two at a time, which is what a small machine draws in time. */
const walks = [
  ['390 px', '1440 px'],
  ['768 px', '860 px'],
  ['1024 px', '1440 px at 200 %'],
].slice(0, everyPage ? 3 : 1);
const maxShift = 0.1;
const maxRequests = 15;
/** What is asked for later keeps the page fresh; on a busy machine less is asked for until then, never more. */
const firstViewMs = 2500;
/** As of a network: what comes late comes in a frame of its own, as people see it. */
const latency = 40;

/** What is on the pages stays; a command more or less makes no difference. */
const furnished = sharedServer(furnish);

/** Where each route leads with what there is; a parameter without a value fails the test, so that new pages get one. */
function addressesOf(access: (route: Route) => boolean, { params }: Furnished): string[] {
  return routes.filter(access).map(({ path }) =>
    path.replaceAll(/:(\w+)/g, (_, name: string) => {
      const value = params[`${path} ${name}`] ?? params[name];
      expect(value, `${path} needs a value for ${name} in e2e/furnished-weft.ts`).toBeDefined();
      return encodeURIComponent(value!);
    }),
  );
}

/** Which page is the first of those that are loaded, and of those that are looked at on a screen between: others with each seed. */
const first = draw('first page').below(12);
const laptop = screens['1440 px']!;

/** From the large screen to the small one, and back with the next page; some pages on one of two others between them, in turn. */
function widthsOf(index: number): Screen[] {
  const between = { 0: screens['1024 px']!, 3: screens['1440 px at 200 %']! }[(index + first) % 6];
  const widths = [laptop, ...(between ? [between] : []), screens['390 px']!];
  return index % 2 === 0 ? widths : widths.toReversed();
}

describe.skipIf(!hasBrowser)('every page of the dashboard', () => {
  test('asks for few things before it is there', async () => {
    const here = await furnished();
    const isPublic = ({ access }: Route) => access === 'public';
    const signedOut = await visit(here.weft.url, { ...laptop, path: '/sign-in' });
    const problems = await tooManyRequests(signedOut, here.weft.url, addressesOf(isPublic, here));
    const others = [...addressesOf((route) => !isPublic(route), here), ...here.views];
    // Two at a time, which is what a small machine draws in time.
    const halves = [0, 1].map(async (half) => {
      const seen = await visitSignedIn(here.weft, { ...laptop, path: '/no-such-page', title: 'Page not found' });
      const own = others.filter((_, index) => index % 2 === half);
      problems.push(...(await tooManyRequests(seen, here.weft.url, own)));
    });
    await Promise.all(halves);
    expect(problems).toEqual([]);
  });

  test.each(walks)('fits its frame, keeps its columns readable and does not jump, at %s and %s', async (...names) => {
    const here = await furnished();
    // To load a page is most of the work: with `npm test -- --every-page` all of them on both screens, else a twelfth on one of both.
    // A page always on the same one: what it does on the other is then no surprise of a single run.
    const isLoaded = (at: number) => (_: string, index: number) =>
      everyPage || (index % 2 === at && (Math.floor(index / 2) + first) % 12 === 0);
    const found = await Promise.all(names.map((name, at) => walk(here, name, screens[name]!, isLoaded(at))));
    expect(found.flat()).toEqual([]);
  });

  test('fits where links lead to it, made as wide as other screens, and is there for people without eyes or mouse', async () => {
    const here = await furnished();
    const { page } = await visitSignedIn(here.weft, { path: '/no-such-page', title: 'Page not found' });
    const problems: string[] = [];
    // The views are the same pages with something else on them: half of them, unless every page is looked at.
    const views = here.views.filter((_, index) => everyPage || index % 2 === first % 2);
    const addresses = [...views, ...addressesOf(({ access }) => access !== 'public', here)];
    for (const [index, address] of oneAfterTheOther(addresses).entries()) {
      // The element that is marked belongs to the page before.
      await page.evaluate(`document.querySelector('h1').setAttribute('data-left', '')`);
      await follow(page, address);
      await page.locator('h1:not([data-left])').waitFor();
      const widths = widthsOf(index);
      for (const [at, { viewport }] of widths.entries()) {
        if (at > 0) await page.setViewportSize(viewport);
        const { overflow, narrow } = await page.evaluate<Measured>(measure(60));
        const found = [...overflow, ...narrow];
        // To examine one is as much work as all else that is done with it: every third one, unless every page is looked at.
        const isInTurn = everyPage || (index + first) % 3 === 0;
        const isExamined = viewport === laptop.viewport && isInTurn && !views.includes(address);
        if (isExamined) found.push(...(await seriousViolations(page)));
        problems.push(...found.map((problem) => `${address}, ${viewport.width} px wide: ${problem}`));
      }
    }
    expect(problems).toEqual([]);
  });

  test('has a form for commands that fits side panels of 320 to 400 px: reasons, dots and choices', async () => {
    const { weft, params, name } = await furnished();
    const path = `/agents/${params.ap_id}`;
    const { page } = await visitSignedIn(weft, { path, title: name });
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByLabel('Command', { exact: true }).selectOption('set_tx_power');
    await form.getByLabel('dbm').fill('30');
    await form.getByText('More options').click();
    await form.getByRole('button', { name: 'Dry run' }).click();
    await form.getByText('Dry run: nothing was sent').waitFor();
    for (const width of [320, 360, 400]) expect(await page.evaluate(panelProblems(width))).toEqual([]);
    await form.getByRole('button', { name: 'Send', exact: true }).click();
    await form.getByText('Succeeded', { exact: true }).waitFor();
    for (const width of [320, 360, 400]) expect(await page.evaluate(panelProblems(width))).toEqual([]);
  });
});

/** What leaves its card or is too narrow to be read in a side panel so wide. */
const panelProblems = (width: number) => `(() => {
  document.querySelector('.agent-grid').style.gridTemplateColumns = 'minmax(0, 1fr) ${width}px';
  const card = document.querySelector('.agent-commands');
  const problems = [];
  const inside = card.getBoundingClientRect();
  if (Math.abs(inside.width - ${width}) > 1) problems.push('the panel is ' + inside.width + ' px wide');
  for (const element of card.querySelectorAll('*')) {
    const { right, left } = element.getBoundingClientRect();
    if (element.getClientRects().length > 0 && (right > inside.right + 0.5 || left < inside.left - 0.5)) {
      problems.push(element.outerHTML.slice(0, 80) + ' leaves the card');
    }
  }
  for (const why of card.querySelectorAll('.verdicts .why')) {
    if (why.clientWidth < inside.width * 0.7) problems.push('a reason is ' + why.clientWidth + ' px wide');
  }
  // Its longest choice, and the arrow beside it.
  const pen = document.createElement('canvas').getContext('2d');
  for (const select of card.querySelectorAll('select')) {
    if (select.getClientRects().length === 0) continue;
    pen.font = getComputedStyle(select).font;
    const needed = Math.max(...[...select.options].map(({ text }) => pen.measureText(text).width)) + 40;
    if (select.clientWidth < needed) problems.push('a choice needs ' + needed + ' px and has ' + select.clientWidth);
  }
  return problems;
})()`;

type Choice = (address: string, index: number) => boolean;

async function walk(here: Furnished, name: string, screen: Screen, isLoaded: Choice): Promise<string[]> {
  const seen = await visit(here.weft.url, { ...screen, path: '/sign-in' });
  const network = await seen.context.newCDPSession(seen.page);
  await network.send('Network.enable');
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
  await network.send('Network.emulateNetworkConditions', { offline: false, latency, ...unlimited });
  const problems: string[] = [];
  const look = async (addresses: readonly string[], isMadeAsWide: boolean) => {
    for (const address of addresses) {
      problems.push(...(await problemsAt(seen, here.weft.url, address)));
      if (!isMadeAsWide) continue;
      problems.push(...(await problemsBetween(seen.page, address, screen)));
      await seen.page.setViewportSize(screen.viewport);
    }
  };
  const isPublic = ({ access }: Route) => access === 'public';
  const isOnThis = (_: string, index: number) => everyPage || Boolean(index % 2) === Boolean(screen.isMobile);
  await look(addressesOf(isPublic, here).filter(isOnThis), !(everyPage && screen.isMobile));
  await seen.page.goto(`${here.weft.url}/sign-in`);
  await signInHere(seen.page);
  await seen.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const others = [...addressesOf((route) => !isPublic(route), here), ...here.views].filter(isLoaded);
  await look(others, everyPage && !screen.isMobile);
  return problems.map((problem) => `${name}: ${problem}`);
}

/** So that no page follows one of the same kind, of which it could keep parts: of the largest kind that is left first. */
function oneAfterTheOther(addresses: string[]): string[] {
  const kindOf = (address: string) => address.split(/[/?]/)[1]!;
  const left = new Map(Object.entries(Object.groupBy(addresses, kindOf)));
  const ordered: string[] = [];
  let last = '';
  while (ordered.length < addresses.length) {
    const others = [...left].filter(([kind]) => kind !== last);
    const [kind, some] = others.reduce((most, each) => (each[1]!.length > most[1]!.length ? each : most));
    ordered.push(some!.shift()!);
    last = kind;
  }
  return ordered;
}

/**
 * Of these a page is made as wide: the screen on which it was not opened; one with the rail of navigation and one without, the lowest. Of
 * the last two, one in turn for each page, unless every page is looked at.
 */
const madeAsWide = ['390 px', '1440 px', '1024 px', '1440 px at 200 %'].map((name) => screens[name]!);
let turn = draw('first width').below(2);

/** What does not fit when the page becomes narrower or wider. */
async function problemsBetween(page: Page, address: string, own: Screen): Promise<string[]> {
  const problems: string[] = [];
  const isLeftOut = (screen: Screen, index: number) => screen === own || (!everyPage && index === 2 + (turn % 2));
  turn += 1;
  for (const { viewport } of madeAsWide.filter((screen, index) => !isLeftOut(screen, index))) {
    await page.setViewportSize(viewport);
    const { overflow, narrow } = await page.evaluate<Measured>(measure(60));
    problems.push(
      ...[...overflow, ...narrow].map((problem) => `${address} made ${viewport.width} px wide: ${problem}`),
    );
  }
  return problems;
}

async function problemsAt(seen: Visit, origin: string, address: string): Promise<string[]> {
  const { found, asked } = await open(seen, origin, address);
  return [
    ...found.overflow,
    ...found.narrow,
    ...(found.shift < maxShift ? [] : [`layout shift ${found.shift.toFixed(3)}: ${found.shifts.join('; ')}`]),
    ...asked,
    ...seen.said.splice(0),
  ].map((problem) => `${address}: ${problem}`);
}

/** Nothing else is looked at: to draw a page as people see it costs several times as much. */
async function tooManyRequests(seen: Visit, origin: string, addresses: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const address of addresses) {
    const { asked } = await open(seen, origin, address);
    problems.push(...asked.map((problem) => `${address}: ${problem}`));
  }
  return problems;
}

/** Loads the page; `asked` has a word if that takes too many requests. */
async function open({ page, requests }: Visit, origin: string, address: string) {
  // What the page before still asks for is not this one's. Of the same origin: an empty page would be drawn by another process.
  await page.goto(`${origin}/healthz`);
  requests.length = 0;
  const openedAt = performance.now();
  await page.goto(origin + address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const found = await page.evaluate<Measured>(measure(350));
  const first = requests.filter(({ atMs }) => atMs < openedAt + firstViewMs);
  const isFew = first.length <= maxRequests;
  return { found, asked: isFew ? [] : [`${first.length} requests: ${first.map(({ url }) => url).join(' ')}`] };
}

interface Measured {
  overflow: string[];
  narrow: string[];
  shift: number;
  shifts: string[];
}

/** In the page, because everything it looks at is there. Waits until nothing has moved for a while. */
const measure = (quietMs: number) => `(async () => {
  const shifts = [];
  const words = (node) => node ? node.nodeName.toLowerCase() + '.' + (node.className?.baseVal ?? node.className ?? '') : 'gone';
  const note = (entries) => {
    for (const { value, hadRecentInput, sources } of entries) {
      if (!hadRecentInput) shifts.push({ value, words: value.toFixed(3) + ' ' + sources.map(({ node }) => words(node)).join(' ') });
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  const main = () => document.querySelector('main') ?? document.body;
  const look = () => [main().scrollHeight, main().querySelectorAll('*').length, document.querySelectorAll('.skeleton').length].join();
  // No frame is asked for: to draw one that nothing has changed in costs more than to look.
  const pause = () => new Promise((next) => setTimeout(next, 40));
  let last = look();
  for (let since = performance.now(); performance.now() - since < ${quietMs} || document.querySelector('.skeleton'); await pause()) {
    if (look() !== last) {
      last = look();
      since = performance.now();
    }
  }
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  note(observer.takeRecords());
  const overflow = [];
  const page = document.documentElement;
  const shell = document.querySelector('.shell') ?? document.querySelector('#app').firstElementChild;
  const frameHeight = Math.max(innerHeight, Math.ceil(shell.getBoundingClientRect().height));
  if (page.scrollHeight > frameHeight) overflow.push('the document is ' + (page.scrollHeight - frameHeight) + ' px taller than its frame');
  if (page.scrollWidth > page.clientWidth) overflow.push('the document is ' + (page.scrollWidth - page.clientWidth) + ' px too wide');
  const inner = document.querySelector('main.shell-main');
  if (inner) {
    const end = inner.querySelector('.page').getBoundingClientRect().bottom - inner.getBoundingClientRect().top + inner.scrollTop;
    const beyond = inner.scrollHeight - Math.max(inner.clientHeight, Math.ceil(end));
    if (beyond > 0) overflow.push('its matter ends ' + beyond + ' px before it can be scrolled to');
    if (inner.scrollWidth > inner.clientWidth) overflow.push('its matter is ' + (inner.scrollWidth - inner.clientWidth) + ' px too wide');
  }
  const narrow = [];
  for (const head of document.querySelectorAll('[role="columnheader"], th[scope="col"], thead th')) {
    const width = Math.round(head.getBoundingClientRect().width);
    if (head.getClientRects().length === 0) continue;
    const isFirst = head.parentElement.firstElementChild === head;
    if (width < (isFirst && head.closest('[role="grid"]') ? 100 : 40)) narrow.push('the column ' + head.textContent + ' is ' + width + ' px wide');
  }
  for (const field of document.querySelectorAll('input:is(:not([type]), [type="text"], [type="search"], [type="url"], [type="email"]):not([hidden], [inputmode="decimal"], [inputmode="numeric"])')) {
    if (field.getAttribute('autocapitalize') !== 'none') narrow.push('a phone writes capitals into ' + field.outerHTML.slice(0, 120));
  }
  return {
    overflow,
    narrow,
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
    shifts: shifts.map(({ words }) => words),
  };
})()`;
