// What broke, who was affected and what to do about it, in a real browser: on the overview without a click, on the page of the
// incident, and for a whole site.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { password } from './weft-process.ts';

const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown, bearer = token) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token: bearer, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  for (const [path, name] of [
    ['uk/hall', 'Town hall'],
    ['uk/quay', 'Harbourside'],
  ])
    await ask('POST', '/sites', { path, name });
  const condition = { metric: 'queue_ms', op: '>', value: 100 };
  const rule = { name: 'Queue too long', condition, severity: 'major', message: '{name}: a queue of {value} ms' };
  await ask('POST', '/alarm_rules', rule);
  const reports: Record<string, (json: object) => Promise<void>> = {};
  for (const [ap_id, site] of [
    ['ap-1', 'uk/hall'],
    ['ap-2', 'uk/hall'],
    ['ap-3', 'uk/quay'],
  ] as const) {
    const geolocation = { latitude: 51.45, longitude: -2.6 };
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 600, geolocation };
    await ask('POST', '/agents/', { ap_id, password, configuration });
    await ask('PATCH', `/agents/${ap_id}/labels`, { site, display_name: `${ap_id} by the stairs`, tags: ['indoor'] });
    const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
    reports[ap_id] = (json) => ask('POST', '/agent_update/update', json, agent);
    await reports[ap_id]({ queue_ms: 5, connected_devices: 2, throughput_mbps: 40, power_w: 6 });
  }
  const devices = ['a', 'b'].map((device) => ({ device, tx_mbps: 0 }));
  const trouble = { queue_ms: 300, connected_devices: 2, throughput_mbps: 0, power_w: 6, devices };
  return { weft, token, ask, reports, trouble };
});

describe.skipIf(!hasBrowser)('the dashboard tells the story', () => {
  test('of an incident: on the overview with who is worst and why, then on its page, live; and of a site', async () => {
    const { weft, ask, reports, trouble } = await network();
    await reports['ap-1']!(trouble);
    const { page } = await visitSignedIn(weft, { title: 'Overview' });
    // Which access point is worst and why, and what broke and who was affected: nothing has to be opened.
    const worst = page.getByRole('region', { name: 'Worst access points' });
    await worst.getByRole('row', { name: /ap-1 by the stairs\s*Town hall A queue of 300 ms/ }).waitFor();
    const recent = page.getByRole('region', { name: 'What broke in the last 6 hours' });
    const card = recent.getByRole('article', { name: 'Alarms on ap-1 by the stairs' });
    await card.getByText(/^1 access point, 2 devices lost service$/).waitFor();
    for (const name of [/^Devices served 6/, /^In delay budget –/, /^Throughput 80/, /^Power 18/, /^Availability 100/])
      await page.getByRole('link', { name }).waitFor();
    await card.getByRole('button', { name: 'Acknowledge' }).click();
    await card.getByText('Acknowledged', { exact: true }).waitFor();
    await card.getByRole('link', { name: /^Details of/ }).click();

    await heading(page, 'Alarms on ap-1 by the stairs');
    await page.getByText('No cause found').first().waitFor();
    await page.getByRole('row', { name: /^ap-1 by the stairs 2/ }).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'ap-1 by the stairs: a queue of 300 ms' }).first().waitFor();
    await page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: 'Silence' }).click();
    await page.getByRole('menuitem', { name: /^For 1/ }).click();
    await page.getByText(/^Silenced until/).waitFor();
    const [alarm] = (await ask('GET', '/alarms?state=acknowledged')).items;
    expect(Date.parse(alarm.shelved_until)).toBeGreaterThan(Date.now() + 3_000_000);

    // One that begins meanwhile is told, and filters are in the address.
    await page.getByRole('link', { name: 'All incidents' }).click();
    await heading(page, 'Incidents');
    const list = page.getByRole('list', { name: 'Incidents' });
    await list.getByRole('link', { name: 'Alarms on ap-1 by the stairs' }).waitFor();
    await reports['ap-3']!(trouble);
    await list.getByRole('link', { name: 'Alarms on ap-3 by the stairs' }).waitFor();
    // A site is picked as a chip, and its text is a click away.
    await page.getByLabel('Where').focus();
    await page.getByLabel('Where').selectOption('uk/quay');
    await page.getByRole('button', { name: 'Harbourside' }).waitFor();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'As text' }).click();
    await expect.poll(() => page.getByLabel('Where').inputValue()).toBe('site:uk/quay/**');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByLabel('State').selectOption('acknowledged');
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await expect.poll(() => page.url()).toContain('/incidents?state=acknowledged');
    await follow(page, '/incidents/nothing');
    await page.getByRole('heading', { name: 'Incident not found' }).waitFor();

    // Of a site: its figures, its map, who has rights, and maintenance in one click, which can be undone.
    await ask('POST', '/users/', { username: 'grace@example.org', password, roles: ['user'] });
    await ask('PUT', '/users/grace@example.org/grants', [{ role: 'operator', selector: 'site:uk/quay/**' }]);
    await follow(page, '/sites');
    await page.getByRole('link', { name: 'Open Harbourside' }).click();
    await heading(page, 'Harbourside');
    await page.getByRole('link', { name: /^Devices served 2/ }).waitFor();
    await page.getByRole('region', { name: 'Map of this site' }).locator('canvas').first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'grace@example.org' }).getByText('operates').waitFor();
    await expectFitting(page);
    await page.getByRole('button', { name: 'Maintenance, Sunday 2 to 5' }).click();
    await page.getByText('Maintenance of Harbourside planned').waitFor();
    const [silence] = (await ask('GET', '/silences')).items;
    expect(silence.selector).toBe('site:uk/quay/**');
    const [from, until] = [new Date(silence.from), new Date(silence.until)];
    expect([from.getDay(), from.getHours(), until.getHours()]).toEqual([0, 2, 5]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Nothing is planned any more').waitFor();
    expect((await ask('GET', '/silences')).items).toEqual([]);
  });
});
