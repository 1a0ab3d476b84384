// Alarms in a real browser: a rule is tried and saved, rings, is acknowledged and shelved by keys, and silenced every week.
import { describe, expect, test } from 'vitest';
import { hasBrowser, screens, type Visit } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  await weft.request('POST', '/api/v1/sites', { token, json: { path: 'uk/hall', name: 'Hall' } });
  const agents = ['ap-1', 'ap-2', 'ap-3'];
  const reports: Record<string, (report: object) => Promise<void>> = {};
  for (const ap_id of agents) {
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60 };
    await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration } });
    const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
    reports[ap_id] = async (json) => {
      const { status } = await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json });
      expect(status).toBe(200);
    };
    await reports[ap_id]({ queue_ms: 5 });
  }
  return { weft, token, reports };
});

/** What happened has the room, not what surrounds it. */
async function shareOfWords(page: Visit['page']): Promise<number> {
  const widths = ['.alarm .alarm-words', '.alarm'].map(async (part) => {
    return (await page.locator(part).first().boundingBox())!.width;
  });
  const [words, row] = (await Promise.all(widths)) as [number, number];
  return words / row;
}

describe.skipIf(!hasBrowser)('alarms in the dashboard', () => {
  test('a rule is tried on the last day, saved, and rings; the alarms are handled by keys, one by one and together', async () => {
    const { weft, token, reports } = await network();
    await reports['ap-3']!({ queue_ms: 300 });
    const { page } = await visitSignedIn(weft, { path: '/alarms', title: 'Alarms' });
    await page.getByText('No active alarms').waitFor();
    await page.getByRole('link', { name: 'Show the rules' }).click();
    await page.getByRole('link', { name: 'Flapping' }).waitFor();
    await page.getByLabel('Filter rules').fill('flapping');
    await page.getByRole('switch', { name: 'Turn off Flapping' }).click();
    await page.getByRole('switch', { name: 'Turn on Flapping' }).waitFor();
    await page.getByRole('link', { name: 'New rule' }).click();
    await heading(page, 'New alarm rule');
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('Which access points').fill('nam:ap-1');
    // What is wrong is said at its column, before anything is sent.
    await page.getByText(/Nothing is selected by "nam".*column 1/).waitFor();
    await page.getByLabel('Which access points').fill('name:ap-*');
    await page.getByText('3 match.').waitFor();
    await page.getByLabel('Metric').fill('queue_ms');
    await page.getByLabel('Limit').fill('100');
    await page.getByLabel('For at least (seconds)').fill('0');
    await page.getByRole('button', { name: 'Try it on the last day' }).click();
    await page.getByRole('heading', { name: /^Would have rung 1\stime in the last day$/ }).waitFor();
    // Beside its values the limit, and when it rang.
    await page
      .getByRole('figure', { name: /^Chart of Queue/ })
      .locator('canvas')
      .waitFor();
    // Without a name it would have that of its condition.
    await page.getByLabel('Limit').fill('much');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Limit').fill('100');
    await page.getByLabel('Name').fill('queue too long');
    await expectFitting(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'queue too long' }).waitFor();

    for (const ap_id of ['ap-1', 'ap-2', 'ap-3']) await reports[ap_id]!({ queue_ms: 400 });
    await page.getByRole('link', { name: '3 alarms not acknowledged' }).click();
    const list = page.getByRole('list', { name: 'Alarms', exact: true });
    await eventually(
      () => list.getByRole('listitem').count(),
      (count) => count === 3,
    );
    await expectFitting(page);
    await page.setViewportSize({ width: 1024, height: 768 });
    expect(await shareOfWords(page)).toBeGreaterThan(0.5);
    await page.setViewportSize(screens.laptop.viewport);
    // By its words as by Enter.
    await list.locator('.alarm-message').first().click();
    await page.getByRole('heading', { level: 1, name: /^ap-[123]$/ }).waitFor();
    await page.goBack();
    await list.getByRole('listitem').first().focus();
    await page.keyboard.press('a');
    await page.getByLabel('Note').fill('looking at it');
    await page.keyboard.press('Enter');
    await page.getByText('looking at it').waitFor();
    await page.getByText(/acknowledged by/).waitFor();
    await page.getByRole('link', { name: '2 alarms not acknowledged' }).waitFor();
    // Two of them, together.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Shelve 2 alarms' }).getByRole('button', { name: 'Shelve' }).click();
    await page
      .getByText(/shelved until/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'No alarm waits to be acknowledged' }).waitFor();
    // The same number as the bell's, and what it leaves out.
    await page
      .getByText(/^1\salarm, 0 not acknowledged\. Not counted: 0 following .*, 2 silenced or shelved\.$/)
      .waitFor();
    // What is filtered stands there, and goes with a click.
    const where = page.getByRole('combobox', { name: 'Access points' });
    await where.focus();
    await where.selectOption({ label: 'Hall (uk/hall)' });
    await page.getByText('No alarms match this filter.').waitFor();
    await page.getByRole('button', { name: 'Hall', exact: true }).click();
    await page.getByText(/^1\salarm, /).waitFor();
    await page.getByLabel('Severity').selectOption('Critical');
    await page.getByText('No alarms match this filter.').waitFor();

    for (const ap_id of ['ap-1', 'ap-2', 'ap-3']) await reports[ap_id]!({ queue_ms: 1 });
    await follow(page, '/alarms?view=history');
    await page
      .getByText(/cleared after/)
      .first()
      .waitFor();
    expect(await shareOfWords(page)).toBeGreaterThan(0.5);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Skip to the list' }).press('Enter');
    expect(await page.evaluate('document.activeElement.className')).toContain('alarm');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Acknowledge an alarm').waitFor();
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel('Severity').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByLabel('Severity').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
    const { body } = await weft.request('GET', '/api/v1/alarm_rules', { token });
    const [{ id }] = body.items.filter(({ name }: { name: string }) => name === 'queue too long');
    await follow(page, `/alarms/rules/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('queue too long deleted').waitFor();
  });

  test('on a phone a site is silenced every Sunday night, in its own time zone', async () => {
    const { weft } = await network();
    const { page } = await visitSignedIn(weft, {
      ...screens.phone,
      colorScheme: 'dark',
      path: '/alarms?view=silences',
      title: 'Alarms',
    });
    await page.getByRole('button', { name: 'New silence' }).click();
    await page.getByText('This silences every access point').waitFor();
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('Which access points').fill('site:uk/bristol/**');
    await page.getByText('This silences every access point').waitFor({ state: 'detached' });
    await page.getByLabel('When').selectOption('every week');
    await page.getByLabel('Sun').uncheck();
    await page.getByRole('button', { name: 'Create silence' }).click();
    await page.getByText('Choose at least one day').waitFor();
    await page.getByLabel('Sun').check();
    await expectFitting(page);
    await page.getByRole('button', { name: 'Create silence' }).click();
    await page.getByText(/every Sun, 02:00 to 05:00/).waitFor();
    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('No silences').waitFor();
  });
});
