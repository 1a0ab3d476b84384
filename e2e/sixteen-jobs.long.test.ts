// What an operator does in a night, on 160 emulated access points: each job within its budget of clicks and fields, counted from the
// overview. A field counts once, with Enter; a key such as Ctrl K as a click. WEFT_SHOTS=FOLDER keeps a picture of how each ends.
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { colleague, type NightShift, sites, startNight } from './night-shift.ts';
import { heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, type Weft } from './weft-process.ts';

interface Night extends NightShift {
  weft: Weft;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
  ask: (method: string, path: string, json?: unknown) => Promise<any>;
}

const night = sharedServer(async (weft): Promise<Night> => {
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown, bearer = token) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token: bearer, json });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const login = async (kind: string, name: string, key: string) =>
    (await weft.login(name, key, kind)).body.access_token as string;
  const started = await startNight(ask, login);
  // Both faults are told, and who they touch is counted.
  await eventually(
    async () => (await ask('GET', '/incidents')).items as { cause: string; devices_affected: number }[],
    (found) =>
      found.some(({ cause, devices_affected }) => cause === 'jammed_channel' && devices_affected > 0) &&
      found.some(({ cause }) => cause === 'access_point_away'),
  );
  return { weft, ask, ...started };
});

/** With a mouse. What it does is counted. */
class Operator {
  readonly page: Page;
  spent = 0;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.spent++;
    await this.activate(target);
  }

  async fill(target: Locator, words: string): Promise<void> {
    this.spent++;
    await this.reach(target);
    await target.fill(words);
  }

  /** With the key that sends what was typed. */
  async enter(target: Locator, words: string): Promise<void> {
    await this.fill(target, words);
    await this.page.keyboard.press('Enter');
  }

  async choose(target: Locator, option: string): Promise<void> {
    this.spent++;
    // Some ask for what they offer once somebody comes near.
    await target.focus();
    await target.selectOption(option);
  }

  async key(keys: string): Promise<void> {
    this.spent++;
    await this.page.keyboard.press(keys);
  }

  menu(name: string): Promise<void> {
    return this.click(this.page.getByRole('navigation').getByRole('link', { name, exact: true }));
  }

  protected activate(target: Locator): Promise<void> {
    return target.click();
  }

  protected async reach(_target: Locator): Promise<void> {}
}

const mostTabs = 400;

/** Without a mouse: whatever is used was reached by Tab. */
class KeyboardOperator extends Operator {
  protected override async activate(target: Locator): Promise<void> {
    await this.reach(target);
    await this.page.keyboard.press('Enter');
  }

  override async choose(target: Locator, option: string): Promise<void> {
    this.spent++;
    await this.reach(target);
    await this.page.keyboard.type(option);
    await target.locator('option:checked', { hasText: option }).waitFor({ state: 'attached' });
  }

  protected override async reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let tabs = 0; tabs < mostTabs; tabs++) {
      if ((await target.and(this.page.locator(':focus')).count()) > 0) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`${target} cannot be reached by Tab`);
  }
}

type Job = (operator: Operator, night: Night) => Promise<void>;

function job(name: string, budget: number, work: Job, { isByKeyboard = false } = {}): void {
  test.skipIf(!hasBrowser)(`${name}: within ${budget}`, { timeout: 600_000 }, async () => {
    const shared = await night();
    const { page, said } = await visitSignedIn(shared.weft, { title: 'Overview' });
    const operator = isByKeyboard ? new KeyboardOperator(page) : new Operator(page);
    try {
      await work(operator, shared);
    } finally {
      const { WEFT_SHOTS } = process.env;
      const file = `${name.replaceAll(/\W+/g, '-')}${isByKeyboard ? '-keyboard' : ''}.png`;
      if (WEFT_SHOTS) await page.screenshot({ path: join(WEFT_SHOTS, file) });
    }
    expect(operator.spent).toBeLessThanOrEqual(budget);
    expect(said).toEqual([]);
  });
}

const mainOf = (page: Page) => page.getByRole('main');

for (const how of [{ isByKeyboard: false }, { isByKeyboard: true }]) {
  job(
    'which access point is worst, and why',
    1,
    async (operator, { agents, jammed }) => {
      const { page } = operator;
      const { name } = agents.find(({ ap_id }) => ap_id === jammed)!;
      const worst = page.getByRole('region', { name: 'Worst access points' });
      await worst
        .getByText(/noise of|get nothing/)
        .first()
        .waitFor();
      await operator.click(worst.getByRole('link', { name, exact: true }));
      await heading(page, name);
      await page
        .getByText(/^Jammed on channel \d+/)
        .first()
        .waitFor();
    },
    how,
  );

  job(
    'what broke in the last hour, and who was affected',
    2,
    async (operator) => {
      const { page } = operator;
      await operator.menu('Incidents');
      await operator.choose(page.getByLabel('Time', { exact: true }), 'Last hour');
      await mainOf(page)
        .getByText(/[1-9]\d* devices? lost service/)
        .first()
        .waitFor();
      await mainOf(page)
        .getByText(/Jammed channel/)
        .first()
        .waitFor();
    },
    how,
  );

  job(
    "acknowledge and silence one site's alarms for Sunday, 2 to 5",
    5,
    async (operator, { ask }) => {
      const { page } = operator;
      // Each has an incident.
      const site = sites[how.isByKeyboard ? 2 : 0]!;
      const name = site.slice(site.lastIndexOf('/') + 1);
      await operator.menu('Sites');
      await operator.click(page.getByRole('link', { name: `Open ${name}`, exact: true }));
      await heading(page, name);
      await operator.click(page.getByRole('button', { name: 'Maintenance, Sunday 2 to 5' }));
      await page.getByText(/planned for Sunday/).waitFor();
      await operator.click(page.getByRole('button', { name: 'Acknowledge' }).first());
      const asked = encodeURIComponent(`site:${site}`);
      await eventually(
        () => ask('GET', `/incidents?state=acknowledged&selector=${asked}`),
        ({ items }) => items.length === 1,
      );
      const { items } = await ask('GET', '/silences');
      const [{ from, until }] = items.filter(({ selector }: { selector: string }) => selector === `site:${site}/**`);
      expect([from, until].map((moment) => [new Date(moment).getDay(), new Date(moment).getHours()])).toEqual([
        [0, 2],
        [0, 5],
      ]);
    },
    how,
  );
}

job('find a device, move it, see proof', 4, async (operator, { ask }) => {
  const { page } = operator;
  const { items } = await ask('GET', '/devices?limit=100&selector=type:WiFi');
  const found = items.find(
    ({ heard }: { heard: { ap_id?: string }[] }) => heard.filter(({ ap_id }) => ap_id).length > 1,
  );
  await operator.key('Control+k');
  const field = page.getByRole('combobox', { name: 'Find an access point' });
  await operator.fill(field, found.device);
  await page.getByRole('option', { name: new RegExp(found.device) }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, found.device);
  const target = page.getByLabel('To', { exact: true });
  await operator.choose(target, (await target.locator('option[value]:not([value=""])').first().getAttribute('value'))!);
  await operator.click(page.getByRole('button', { name: 'Steer', exact: true }));
  // Its own words for it: a device may also refuse, and that is told too.
  await page.getByText(/^(It moved:|The device refused to move|It did not go:)/).waitFor();
});

job('compare two access points', 3, async (operator, { agents }) => {
  const { page } = operator;
  await operator.menu('Compare');
  const [one, other] = agents.filter(({ access_point_type }) => access_point_type === '5G');
  const field = page.getByRole('combobox', { name: 'Add an access point' });
  for (const { name } of [one!, other!]) {
    await operator.enter(field, name);
    await mainOf(page).getByRole('link', { name, exact: true }).waitFor();
  }
  // With what people ask for first, without asking for it.
  await page.getByRole('heading', { name: 'Throughput' }).waitFor();
});

job('a rule on latency, with a preview', 6, async (operator, { ask }) => {
  const { page } = operator;
  await operator.menu('Alarms');
  await operator.click(page.getByRole('link', { name: 'Rules', exact: true }));
  await operator.click(page.getByRole('link', { name: 'New rule' }));
  await operator.fill(page.getByLabel('Metric', { exact: true }), 'latency_ms');
  await operator.fill(page.getByLabel('Limit', { exact: true }), '600');
  await page.getByRole('heading', { name: /Would (not )?have rung/ }).waitFor();
  await operator.click(page.getByRole('button', { name: 'Save' }));
  await page
    .getByText(/latency_ms above 600/)
    .first()
    .waitFor();
  const { items } = await ask('GET', '/alarm_rules');
  expect(items.map(({ name }: { name: string }) => name)).toContainEqual(
    expect.stringContaining('latency_ms above 600'),
  );
});

job('rights on one site for a colleague', 5, async (operator, { ask }) => {
  const { page } = operator;
  await operator.menu('Accounts');
  await operator.click(page.getByRole('link', { name: colleague }));
  await operator.click(page.getByRole('button', { name: 'Add a grant' }));
  await operator.choose(page.getByLabel('For which access points').last(), sites[0]!);
  await operator.click(page.getByRole('button', { name: /^Save|^Grant/ }));
  await eventually(
    () => ask('GET', `/users/${colleague}/grants`),
    (grants) => JSON.stringify(grants).includes(sites[0]!),
  );
});

job("why was an app's command rejected, and another policy", 4, async (operator, { ask, rejected }) => {
  const { page } = operator;
  await operator.menu('Conflicts');
  await page.getByText(`${rejected} asked to change power_state`).first().waitFor();
  await operator.click(page.getByRole('link', { name: 'Rule 5g_energy' }).first());
  await operator.choose(mainOf(page).getByRole('combobox', { name: 'Policy' }), 'Last caller wins');
  await operator.click(page.getByRole('button', { name: 'Save' }).first());
  await eventually(
    () => ask('GET', '/conflicts/rules'),
    ({ groups }) =>
      groups.some(({ name, policy }: Record<string, string>) => name === '5g_energy' && /last/.test(policy!)),
  );
});

job('what if this cell is switched off', 3, async (operator, { agents }) => {
  const { page } = operator;
  const { name } = agents.find(({ access_point_type, site }) => access_point_type === '5G' && site === sites[0])!;
  await operator.key('Control+k');
  await operator.fill(page.getByRole('combobox', { name: 'Find an access point' }), name);
  await page.getByRole('option', { name: new RegExp(`^${name} `) }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, name);
  await operator.click(page.getByRole('button', { name: 'What if it is switched off?' }));
  await page.getByRole('heading', { name: /^If sent: the next/ }).waitFor();
});

job('how much energy was used and saved', 1, async (operator) => {
  const { page } = operator;
  await operator.menu('Energy');
  await page.getByText('Used', { exact: true }).waitFor();
  await page
    .getByText(/less than without the commands|more than without/)
    .first()
    .waitFor();
});

job('export a week', 3, async (operator) => {
  const { page } = operator;
  await operator.menu('Energy');
  await operator.click(page.getByRole('button', { name: 'Export CSV' }));
  const download = page.waitForEvent('download');
  await operator.click(page.getByRole('menuitem', { name: '7 days' }));
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
});

job('change all WiFi access points of a site, and go back', 6, async (operator) => {
  const { page } = operator;
  await operator.menu('Access points');
  await operator.fill(page.getByLabel('Which access points'), `site:${sites[3]} type:WiFi`);
  await operator.click(page.getByRole('button', { name: 'Act on all 20' }));
  const dialog = page.getByRole('dialog');
  await operator.choose(dialog.getByRole('combobox', { name: 'Command' }), 'sleep');
  // What would happen is shown by itself; the number is typed before anything is done to so many.
  await operator.enter(dialog.getByLabel('Type 20 to confirm'), '20');
  await operator.click(dialog.getByRole('button', { name: /back/i }));
});

job('the radio map', 2, async (operator) => {
  const { page } = operator;
  await operator.menu('Map');
  await operator.choose(page.getByLabel('Radio map layer'), 'best_server');
  await page.getByText('Point at the map to read a value').waitFor();
});

job('enrol an access point', 4, async (operator, { weft, ask }) => {
  const { page } = operator;
  await operator.menu('Access points');
  await operator.click(page.getByRole('button', { name: 'Register an access point' }));
  await operator.click(page.getByRole('radio', { name: 'Several access points' }));
  await operator.click(page.getByRole('button', { name: 'Create enrolment command' }));
  // The line that it gives registers one.
  const line = await page.getByRole('dialog').getByText('curl -s').textContent();
  const [, token] = /Bearer ([^']+)/.exec(line!)!;
  const json = { ap_id: 'ap-1', password: 'correct horse battery', configuration: {} };
  expect((await weft.request('POST', '/api/v1/agents/public', { token: token!, json })).status).toBe(200);
  expect(await ask('GET', '/agents/ap-1')).toMatchObject({ ap_id: 'ap-1' });
});

job('the wall display', 1, async (operator) => {
  await operator.click(operator.page.getByRole('link', { name: 'Wall display' }));
  await operator.page.waitForURL(/\/wall/);
});
