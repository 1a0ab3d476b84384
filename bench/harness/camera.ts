// Takes pictures of pages of the dashboard, at three widths in both themes.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { BenchBrowser } from './browser.ts';
import { pause } from './emulated-network.ts';

const laptop = { width: 1440, height: 900 };
const tablet = { width: 1024, height: 768 };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const forms = {
  light: { viewport: laptop, colorScheme: 'light' },
  dark: { viewport: laptop, colorScheme: 'dark' },
  tablet: { viewport: tablet, colorScheme: 'light' },
  'tablet-dark': { viewport: tablet, colorScheme: 'dark' },
  phone: { ...phone, colorScheme: 'light' },
  'phone-dark': { ...phone, colorScheme: 'dark' },
} as const;
export type Form = keyof typeof forms;
export const everyForm = Object.keys(forms) as Form[];
/** Of a picture for the documents. */
const maxBytes = 300 * 1024;
const settleMs = 1500;
const longestMs = 20_000;
const maxHeight = 3000;

/** What differs from the page of a route, as an administrator sees it. */
export interface Taken {
  address?: string;
  name?: string;
  isSignedIn?: boolean;
  inForms?: readonly Form[];
}

interface Options {
  name: string;
  address: string;
  /** The button that is pressed before. */
  click: string | undefined;
  isSignedIn: boolean;
  /** All of the page, also what scrolls. */
  isWhole: boolean;
}

export class Camera {
  readonly #browser: BenchBrowser;
  readonly #folder: string;
  readonly #pages = new Map<string, Page>();

  private constructor(browser: BenchBrowser, folder: string) {
    this.#browser = browser;
    this.#folder = folder;
  }

  static async open(url: string, folder: string): Promise<Camera> {
    return new Camera(await BenchBrowser.open(url), folder);
  }

  /** All forms at once, because most of the time is spent waiting. Resolves the headings of the page. */
  async take(inForms: readonly Form[], options: Options): Promise<string[]> {
    const found = await Promise.all(inForms.map((form) => this.#takeOne(form, options)));
    return found[inForms.indexOf('light')] ?? [];
  }

  async #takeOne(form: Form, { name, address, click, isSignedIn, isWhole }: Options): Promise<string[]> {
    const file = join(this.#folder, `${name}-${form}.png`);
    const page = await this.#page(form, isSignedIn);
    await page.setViewportSize(forms[form].viewport);
    await page.goto(address);
    await settle(page);
    if (click !== undefined) {
      await page.getByRole('button', { name: click }).first().click();
      await settle(page);
    }
    if (isWhole) await showWhole(page);
    await page.screenshot({ path: file });
    const bytes = statSync(file).size;
    if (!isWhole && bytes > maxBytes) throw new Error(`${file} has ${bytes} bytes; the maximum is ${maxBytes}`);
    return page.getByRole('heading').allInnerTexts();
  }

  async #page(form: Form, isSignedIn: boolean): Promise<Page> {
    const key = `${form} ${isSignedIn}`;
    const page = this.#pages.get(key) ?? (await (await this.#browser.context(forms[form], isSignedIn)).newPage());
    this.#pages.set(key, page);
    return page;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** As high as what is on it, which scrolls otherwise. */
async function showWhole(page: Page): Promise<void> {
  const beyond = await page.evaluate<number>(
    `Math.max(0, ...['main', 'html', '.dialog'].map((name) => document.querySelector(name)).map((it) => it ? it.scrollHeight - it.clientHeight : 0))`,
  );
  const { width, height } = page.viewportSize()!;
  await page.setViewportSize({ width, height: Math.min(maxHeight, height + beyond) });
  await pause(settleMs / 3);
}

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const busy = page.locator('.skeleton, progress, [aria-busy="true"], .what-if-brief[role="status"]');
  for (let left = longestMs; left > 0 && (await busy.count()) > 0; left -= 100) await pause(100);
  await pause(settleMs);
}
