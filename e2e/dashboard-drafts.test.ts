// Typing in the fields of the dashboard whose values live elsewhere, while live data draws the page again and again: what
// is in the field is what was typed, and what is committed is what the list is asked for.
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { draw } from '../test/draw.ts';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, type Visit } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

const counts = { bristol: 25, london: 3 };

/** 28 access points that all ring, 25 of them in Bristol; and one more that does so when a test wants news. */
const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  const ask = async (path: string, json: unknown, bearer = token) => {
    const { status, body } = await weft.request('POST', `/api/v1${path}`, { token: bearer, json });
    expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const condition = { metric: 'queue_ms', op: '>', value: 100 };
  await ask('/alarm_rules', { name: 'queue too long', condition, for_seconds: 0, severity: 'major' });
  const agents: Record<string, string> = {};
  const names = Object.entries(counts).flatMap(([city, count]) =>
    Array.from({ length: count }, (_, index) => `${city}-${index + 1}`),
  );
  for (const ap_id of [...names, 'leeds-1']) {
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60 };
    await ask('/agents/', { ap_id, password, configuration });
    agents[ap_id] = (await weft.login(ap_id, password, 'agent')).body.access_token;
  }
  const report = (ap_id: string, queue_ms: number) => {
    const link = { device: '02:00:00:00:00:01', rssi_dbm: -60, tx_mbps: 10 };
    return ask('/agent_update/update', { queue_ms, devices: [link] }, agents[ap_id]);
  };
  for (const ap_id of names) await report(ap_id, 500);
  // A list that has nothing yet has no filters.
  const command = new URLSearchParams({ agent_id: 'leeds-1', command: 'sleep' });
  await ask(`/send_command?${command}`, undefined);
  const ringing = () => weft.request('GET', '/api/v1/alarms?state=firing&limit=100', { token });
  await eventually(
    async () => (await ringing()).body.items.length,
    (count) => count >= names.length,
  );
  let queue = 1;
  /** Something is new on every page: an alarm that comes or goes, with its events. */
  const news = () => {
    queue = queue === 1 ? 500 : 1;
    return report('leeds-1', queue);
  };
  return { weft, news };
});

function inputOf(page: Page, label: string) {
  return page.locator('input').and(page.getByLabel(label, { exact: true }));
}

async function showText(page: Page, label: string): Promise<void> {
  const chips = page.locator('select').and(page.getByLabel(label, { exact: true }));
  await chips.or(inputOf(page, label)).waitFor();
  if (await chips.isVisible()) await page.getByRole('button', { name: 'As text' }).click();
}

/** Everything on the page is asked for again, as it is from time to time, and drawn. */
async function refresh(page: Page, operation: string): Promise<void> {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === operation);
  await page.clock.fastForward(20_000);
  await answered;
  await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 0)));
}

interface TypingField {
  path: string;
  title: string;
  label: string;
  /** Of the address. */
  parameter: string;
  operation: string;
  /** Of the request; absent: the page itself filters what it has. */
  asked?: string;
  /** Takes effect with every key, not when it is committed. */
  isLive?: true;
  /** The text is a click away while chips can say what it says. */
  isBehindChips?: true;
}

const fields: TypingField[] = [
  {
    path: '/alarms',
    title: 'Alarms',
    label: 'Access points',
    parameter: 'selector',
    operation: '/api/v1/alarms',
    isLive: true,
    isBehindChips: true,
  },
  {
    path: '/alarms?view=history',
    title: 'Alarms',
    label: 'Access points',
    parameter: 'selector',
    operation: '/api/v1/alarms',
    isLive: true,
    isBehindChips: true,
  },
  {
    path: '/alarms?view=rules',
    title: 'Alarms',
    label: 'Filter rules',
    parameter: 'q',
    operation: '/api/v1/alarm_rules',
    isLive: true,
  },
  {
    path: '/events',
    title: 'Events',
    label: 'Access point',
    parameter: 'agent',
    operation: '/api/v1/events',
    asked: 'search',
  },
  { path: '/events', title: 'Events', label: 'Site', parameter: 'site', operation: '/api/v1/events', asked: 'site' },
  {
    path: '/conflicts',
    title: 'Conflicts',
    label: 'Access point',
    parameter: 'agent',
    operation: '/api/v1/conflicts',
    asked: 'agent',
  },
  {
    path: '/audit',
    title: 'Audit log',
    label: 'Actor',
    parameter: 'actor',
    operation: '/api/v1/audit',
    asked: 'actor',
  },
  {
    path: '/audit',
    title: 'Audit log',
    label: 'Target',
    parameter: 'target',
    operation: '/api/v1/audit',
    asked: 'target',
  },
  {
    path: '/commands',
    title: 'Commands',
    label: 'Access point',
    parameter: 'agent',
    operation: '/api/v1/commands',
    asked: 'agent',
  },
  {
    path: '/agents',
    title: 'Access points',
    label: 'Which access points',
    parameter: 'selector',
    operation: '/api/v1/agents/',
    isLive: true,
  },
  {
    path: '/agents',
    title: 'Access points',
    label: 'Filter access points',
    parameter: 'q',
    operation: '/api/v1/agents/',
    asked: 'search',
    isLive: true,
  },
  {
    path: '/devices',
    title: 'Devices',
    label: 'Search by pseudonym, access point, site or technology',
    parameter: 'q',
    operation: '/api/v1/devices',
    asked: 'search',
    isLive: true,
  },
  {
    path: '/devices',
    title: 'Devices',
    label: 'Devices at which access points',
    parameter: 'selector',
    operation: '/api/v1/devices',
    isLive: true,
  },
  {
    path: '/map',
    title: 'Map',
    label: 'Search by name or site',
    parameter: 'q',
    operation: '/api/v1/metrics/presence',
    isLive: true,
  },
];

type Step =
  | { kind: 'type'; text: string }
  | { kind: 'Backspace' | 'ArrowLeft' | 'ArrowRight' | 'refresh' | 'news' | 'commit' | 'leave' | 'away and back' };

const typing = fc.record({ kind: fc.constant('type' as const), text: fc.stringMatching(/^[ab1:* -]{1,5}$/) });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: typing },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['Backspace', 'ArrowLeft', 'ArrowRight', 'refresh', 'news', 'commit', 'leave', 'away and back'] as const),
      ),
    }),
  },
);
/** Whatever else: something is typed, the page is drawn again, and more is typed. */
const steps = fc
  .tuple(typing, fc.array(anyStep, { minLength: 3, maxLength: isLong ? 8 : 5 }), typing)
  .map(([first, some, last]): Step[] => [first, { kind: 'refresh' }, ...some, last]);

async function expectTyping(seen: Visit, news: () => Promise<unknown>, field: TypingField, taken: readonly Step[]) {
  const { page, requests } = seen;
  const input = inputOf(page, field.label);
  const committed = () => new URL(page.url()).searchParams.get(field.parameter) ?? '';
  const lastAsked = () => {
    // The bell above the page asks for alarms too: for those that nobody has shelved.
    const asked = requests.map(({ url }) => new URL(url));
    const last = asked.findLast(
      ({ pathname, searchParams }) => pathname === field.operation && !searchParams.has('shelved'),
    );
    return last?.searchParams.get(field.asked!) ?? '';
  };
  /** What the field holds, where the next key goes, and what the address has been told. */
  const model = { text: '', at: 0, committed: '' };
  const commit = () => {
    model.committed = model.text.trim();
  };
  const enter = async () => {
    if (field.isBehindChips) await showText(page, field.label);
    await input.focus();
    await page.keyboard.press('End');
    model.at = model.text.length;
  };
  await follow(page, '/sites');
  await heading(page, 'Sites');
  await follow(page, field.path);
  await heading(page, field.title);
  await enter();
  for (const step of taken) {
    if (step.kind === 'type') {
      await page.keyboard.type(step.text);
      model.text = model.text.slice(0, model.at) + step.text + model.text.slice(model.at);
      model.at += step.text.length;
    } else if (step.kind === 'Backspace') {
      await page.keyboard.press('Backspace');
      if (model.at > 0) {
        model.text = model.text.slice(0, model.at - 1) + model.text.slice(model.at);
        model.at--;
      }
    } else if (step.kind === 'ArrowLeft' || step.kind === 'ArrowRight') {
      await page.keyboard.press(step.kind);
      model.at = Math.max(0, Math.min(model.text.length, model.at + (step.kind === 'ArrowLeft' ? -1 : 1)));
    } else if (step.kind === 'refresh') await refresh(page, field.operation);
    else if (step.kind === 'news') {
      await news();
      await refresh(page, field.operation);
    } else if (step.kind === 'commit') {
      await page.keyboard.press('Enter');
      commit();
    } else if (step.kind === 'leave') {
      await input.blur();
      commit();
      model.text = field.isLive ? model.text : model.committed;
      await expect.poll(() => input.inputValue()).toBe(model.text);
      await enter();
    } else {
      await page.goBack();
      await heading(page, 'Sites');
      await page.goForward();
      await heading(page, field.title);
      // What was not committed was left with the page.
      model.text = field.isLive ? model.text : model.committed;
      if (!field.isBehindChips) await input.waitFor();
      await enter();
    }
    const context = JSON.stringify({ field: field.label, path: field.path, step, model });
    if (field.isLive) model.committed = model.text;
    expect(await input.inputValue(), context).toBe(model.text);
    expect(committed(), context).toBe(model.committed);
    if (field.asked !== undefined) {
      await expect.poll(lastAsked, { message: context }).toBe(model.committed.trim());
    }
  }
}

/** Of each kind one, another with each seed. */
const someOf = (all: TypingField[]) =>
  [true, undefined].flatMap((isLive) => {
    const ofKind = all.filter((field) => field.isLive === isLive);
    return [draw('field').of(ofKind)];
  });

describe.skipIf(!hasBrowser)('what is being typed', () => {
  test('stays in the field of a filter while alarms come in, of which all that match are chosen; and in every field whatever comes in between: random keys, refreshes, Back and Forward', async () => {
    const { weft, news } = await network();
    const seen = await visitSignedIn(weft, { path: '/alarms', title: 'Alarms' });
    const { page } = seen;
    await seen.context.clock.install();
    const list = page.getByRole('list', { name: 'Alarms', exact: true }).getByRole('listitem');
    await list.first().waitFor();
    await showText(page, 'Access points');
    const field = inputOf(page, 'Access points');
    await field.pressSequentially('name:bris');
    await news();
    await refresh(page, '/api/v1/alarms');
    expect(await field.inputValue()).toBe('name:bris');
    await page.keyboard.type('tol-*');
    await page.keyboard.press('Enter');
    await expect.poll(() => list.count()).toBe(counts.bristol);
    // More than anybody looks through: what is meant is said, and asked.
    await page.getByLabel('Choose all 25 alarms (name:bristol-*)', { exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Choose 25 alarms?' });
    await question.getByText('name:bristol-*').waitFor();
    await expectFitting(page);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Shelve', exact: true }).first().waitFor();
    expect(await page.getByLabel('25 chosen').count()).toBe(0);
    await page.getByLabel('Choose all 25 alarms (name:bristol-*)', { exact: true }).click();
    await question.getByRole('button', { name: 'Choose 25' }).click();
    await page.getByText('25 chosen').waitFor();
    // Twenty and fewer are seen at a glance.
    await field.fill('name:bristol-1?');
    await page.keyboard.press('Enter');
    await expect.poll(() => list.count()).toBe(10);
    await page.getByLabel('Choose all 10 alarms (name:bristol-1?)', { exact: true }).check();
    await page.getByText('10 chosen').waitFor();

    for (const field of isLong ? fields : someOf(fields)) {
      await fc.assert(
        fc.asyncProperty(steps, (taken) => expectTyping(seen, news, field, taken)),
        { numRuns: isLong ? 20 : 1, endOnFailure: true },
      );
    }
  });
});
