// What is wrong with an access point and what would help, in a real browser: the diagnosis heads its page, what it proposes is
// tried and applied with a guard, and taken back; on an emulated network what-if shows the effect before anything is sent.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { startDemo } from './demo-network.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown, bearer = token) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token: bearer, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const [cell] = await startDemo(weft, token, 2);
  // As it comes with Weft, but without waiting.
  const { items: rules } = await ask('GET', '/alarm_rules');
  const noise = rules.find(({ product }: { product: string }) => product === 'wifi_noise');
  const condition = { metric: 'noise_floor_dbm', op: '>', value: -85 };
  const { name, selector, severity, message } = noise;
  await ask('PUT', `/alarm_rules/${noise.id}`, { name, selector, severity, message, condition, for_seconds: 0 });
  await ask('POST', '/sites', { path: 'hall' });
  const commands = [{ name: 'set_channel', params: { channel: { type: 'integer', enum: [36, 100] } } }];
  const report = async (ap_id: string, noise_floor_dbm: number, channel: number) => {
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60, commands };
    await ask('POST', '/agents/', { ap_id, password, configuration });
    await ask('PATCH', `/agents/${ap_id}/labels`, { site: 'hall' });
    const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
    const values = { noise_floor_dbm, channel, connected_devices: 5, served_devices: noise_floor_dbm > -85 ? 0 : 5 };
    await ask('POST', '/agent_update/update', values, agent);
  };
  await report('ap-quiet', -92, 100);
  await report('ap-jammed', -27, 36);
  await eventually(
    () => ask('GET', '/alarms?agent=ap-jammed'),
    ({ items }) => items.length > 0,
  );
  const sent = async (ap_id: string) =>
    (await ask('GET', `/commands?agent=${ap_id}`)) as { name: string; args: object; guard: string | null }[];
  return { weft, cell: cell!, sent };
});

describe.skipIf(!hasBrowser)('a diagnosis in the dashboard', () => {
  test('heads the page with numbers and a remedy, which is tried, applied and taken back; what-if shows the effect on an emulated one before anything is sent', async () => {
    const { weft, cell, sent } = await network();
    const { page } = await visitSignedIn(weft, { path: '/agents/ap-jammed', title: 'ap-jammed' });
    const diagnosis = page.getByRole('region', { name: 'Diagnosis' });
    await diagnosis
      .getByRole('heading', { name: /^Jammed on channel 36 since \d\d:\d\d: noise −27.dBm, 5 devices get nothing$/ })
      .waitFor();
    await diagnosis.getByText('Change to channel 100, which is quiet there.').waitFor();
    // What the alarm is about is charted first, and can be read without eyes.
    const chart = page.getByRole('figure', { name: /^Chart of / }).first();
    await chart.getByRole('heading', { name: /^Noise floor/ }).waitFor();
    await chart.getByRole('button', { name: 'Table and export of Noise floor' }).click();
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Save as CSV' }).click(),
    ]);
    expect(csv.suggestedFilename()).toBe('weft-noise-floor.csv');
    await chart.getByRole('button', { name: 'Table and export of Noise floor' }).click();
    await page.getByRole('menuitem', { name: 'Show as a table' }).click();
    const table = page.getByRole('dialog', { name: 'Values of Noise floor' });
    await table.getByRole('cell', { name: '−27 dBm' }).waitFor();
    await table.getByRole('button', { name: 'Close' }).click();
    await table.waitFor({ state: 'detached' });

    // A real access point: nothing can be predicted, the decision can.
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByText('On a real access point nothing can be predicted.').waitFor();
    await diagnosis.getByRole('button', { name: 'Preview' }).click();
    await form.getByText('Dry run: nothing was sent').waitFor();
    expect(await sent('ap-jammed')).toEqual([]);
    await diagnosis.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Send the command' }).click();
    await form.getByRole('heading', { name: 'Sent', exact: true }).waitFor();
    // Its channel was never set through Weft, which could not put it back by itself, and says so.
    await form.getByText(/^Without a guard: what was set before/).waitFor();
    const applied = { name: 'set_channel', args: { channel: 100 }, guard: null };
    expect(await sent('ap-jammed')).toMatchObject([applied]);
    await form.getByRole('button', { name: 'Go back to the values from before' }).click();
    await page.getByText('The values from before were sent').waitFor();
    expect(await sent('ap-jammed')).toMatchObject([{ name: 'set_channel', args: { channel: 36 } }, applied]);
    await expectFitting(page);

    // Who it is stands in a drawer.
    await expect.poll(() => page.getByText('Report interval').count()).toBe(0);
    await page.getByRole('button', { name: 'Details' }).click();
    const drawer = page.getByRole('dialog', { name: 'Details of ap-jammed' });
    await drawer.getByText('Report interval', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // Who is well is told no more than that; a moment that was pointed at is in the address.
    await follow(page, '/agents/ap-quiet?at=2026-01-01T00:00:00Z');
    await heading(page, 'ap-quiet');
    await page.getByText('No active alarms.').waitFor();
    await page.getByText(/^1 Jan( 2026)? \d\d:00:00/).waitFor();

    // What if an emulated cell is switched off: one click on its page; then it is, with a guard, and goes back.
    await follow(page, `/agents/${cell.ap_id}`);
    await heading(page, cell.name);
    const before = await sent(cell.ap_id);
    await page.getByRole('button', { name: 'What if it is switched off?' }).click();
    const brief = page.getByRole('region', { name: 'What-if analysis' });
    await brief.getByRole('heading', { name: /^If sent: the next \S+.(minutes|s)$/ }).waitFor();
    await brief.getByText(/instead of .*W/).waitFor();
    // In the charts of the page it is a ghost of each metric.
    const power = page.getByRole('figure', { name: /^Chart of Power/ });
    await power.getByText('Power, if sent').waitFor();
    await expectFitting(page);
    await brief.getByRole('button', { name: 'Show everything' }).click();
    await page.getByRole('dialog').getByRole('heading', { name: 'Who takes over' }).waitFor();
    await page.keyboard.press('Escape');
    await brief.getByRole('button', { name: 'Hide' }).click();
    await power.getByText('Power, if sent').waitFor({ state: 'detached' });
    expect(await sent(cell.ap_id)).toEqual(before);
    // Then it is sent with the guard that was offered, which is about those that take over; and taken back.
    await form.getByText(/^Guard: goes back unless latency stays below .* at its neighbours$/).waitFor();
    await form.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('button', { name: 'Send the command' }).click();
    await form.getByRole('button', { name: 'Go back to the values from before' }).click();
    const guard = expect.stringContaining('"neighbours","metric":"latency_ms","op":"<"');
    await expect.poll(async () => (await sent(cell.ap_id))[0]).toMatchObject({ name: 'wake' });
    expect(await sent(cell.ap_id)).toContainEqual(expect.objectContaining({ name: 'sleep', guard }));
  });
});
