// A real browser for what is measured in one: signed in from the start, with the figures that Chromium keeps of a page.
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';
import { admin } from './emulated-network.ts';

const program = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));

export interface PageFigures {
  /** Seconds that the main thread has worked so far. */
  busySeconds: number;
  /** After all garbage was collected. */
  heapMiB: number;
  /** What listens to events; more and more of them are a leak long before the heap shows it. */
  listeners: number;
}

export class BenchBrowser {
  readonly #browser: Browser;
  readonly #url: string;
  readonly #session: string;

  private constructor(browser: Browser, url: string, session: string) {
    this.#browser = browser;
    this.#url = url;
    this.#session = session;
  }

  static async open(url: string): Promise<BenchBrowser> {
    const { WEFT_ADMIN_USERNAME: username, WEFT_ADMIN_PASSWORD: password } = admin;
    const body = new URLSearchParams({ username, password });
    const answer = await fetch(`${url}/api/v1/token/?login_type=user`, { method: 'POST', body });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const session = { token, username, isAdmin: true, expiresAt: Date.now() + 3_600_000 };
    const browser = await chromium.launch({ executablePath: program ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    return new BenchBrowser(browser, url, JSON.stringify(session));
  }

  /** A browser of its own, with nothing in its cache. */
  async context(options: BrowserContextOptions = {}, isSignedIn = true): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    if (isSignedIn)
      await context.addInitScript(`sessionStorage.setItem('weft.session', ${JSON.stringify(this.#session)})`);
    return context;
  }

  address(path: string): string {
    return this.#url + path;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

export async function watchPage(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  return session;
}

export async function figuresOf(session: CDPSession): Promise<PageFigures> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const value = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return {
    busySeconds: value('TaskDuration'),
    heapMiB: value('JSHeapUsedSize') / 2 ** 20,
    listeners: value('JSEventListeners'),
  };
}

/** From now on the pages that are opened here note what their own work takes in each frame. */
export async function timeFrames(page: Page): Promise<void> {
  await page.addInitScript(`(() => {
    const work = window.__work = new Map();
    const ask = requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => ask((frame) => {
      const from = performance.now();
      try { draw(frame); } finally { work.set(frame, (work.get(frame) ?? 0) + performance.now() - from); }
    });
  })()`);
}

/** What 95 of 100 frames take at most while `act` goes on, in milliseconds of the page's own work. */
export async function frameWorkMs(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate('window.__work.clear()');
  await act();
  const times = (await page.evaluate('[...window.__work.values()]')) as number[];
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
}

/** Frames per second that the page draws while `act` goes on. */
export async function framesPerSecond(page: Page, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`(() => {
    const count = { frames: 0, from: performance.now(), isOver: false };
    window.__frames = count;
    const next = () => { count.frames++; if (!count.isOver) requestAnimationFrame(next); };
    requestAnimationFrame(next);
  })()`);
  await act();
  return (await page.evaluate(
    '(() => { const count = window.__frames; count.isOver = true; return count.frames / ((performance.now() - count.from) / 1000); })()',
  )) as number;
}
