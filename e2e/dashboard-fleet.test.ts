// Sites and the event log in a real browser: what an operator sees of a fleet without opening an access point.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, heading, visitSignedIn } from './signed-in.ts';
import { password, sharedServer } from './weft-process.ts';

const fleet = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  for (const ap_id of ['ap-hall-1', 'ap-hall-2', 'ap-roof-1']) {
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60 };
    await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration } });
    const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
    await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { power_w: 5, channel: 36 } });
  }
  return { weft, token };
});

describe.skipIf(!hasBrowser)('a fleet in the dashboard', () => {
  test('has sites: created below one another, moved with what is below, deleted only when empty', async () => {
    const { weft, token } = await fleet();
    const { page } = await visitSignedIn(weft, { path: '/sites', title: 'Sites' });
    await page.getByText('No sites yet').waitFor();
    await page.getByRole('button', { name: 'New site' }).click();
    await page.getByLabel('Path').fill('uk/bristol');
    await page.getByLabel('Time zone').fill('Europe/Nowhere');
    await page.getByRole('button', { name: 'Save' }).click();
    // What is wrong stands beside its field, and what was typed stays.
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Time zone').fill('Europe/London');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Europe/London').waitFor();
    await page.getByRole('button', { name: 'New site below bristol' }).click();
    expect(await page.getByLabel('Path').inputValue()).toBe('uk/bristol/');
    await page.getByLabel('Path').fill('uk/bristol/hall');
    await page.getByLabel('Name').fill('Town hall');
    await page.keyboard.press('Enter');
    await page.getByText('Town hall', { exact: true }).first().waitFor();
    const json = { site: 'uk/bristol/hall' };
    expect((await weft.request('PATCH', '/api/v1/agents/ap-hall-1/labels', { token, json })).status).toBe(200);
    await page.reload();
    await heading(page, 'Sites');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'uk/bristol' })
      .first()
      .getByTitle('1 with those below')
      .first()
      .waitFor();
    await expectFitting(page);
    await page.getByRole('button', { name: 'Hide what is below bristol' }).click();
    await page.getByText('Town hall', { exact: true }).first().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Edit bristol' }).click();
    await page.getByLabel('Path').fill('uk/avon');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('uk/avon', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit bristol' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
  });

  test('has a log of what happened, filtered in the address, and as a timeline above the charts', async () => {
    const { weft } = await fleet();
    const { page } = await visitSignedIn(weft, { path: '/events', title: 'Events' });
    await page.getByRole('list', { name: 'Today' }).getByRole('listitem').first().waitFor();
    await expectFitting(page);
    await page.getByLabel('What').selectOption('Weft itself');
    await page.waitForURL(/what=node/);
    await page
      .getByText(/started/)
      .first()
      .waitFor();
    await page.getByLabel('Access point', { exact: true }).fill('ap-nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('No events match this filter.').waitFor();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByLabel('Access point', { exact: true }).fill('ap-hall-1');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'ap-hall-1' }).first().waitFor();
    await page
      .getByRole('link', { name: /ap-hall-1/ })
      .first()
      .click();
    await heading(page, 'ap-hall-1');
    const timeline = page.getByRole('region', { name: /^Events of this access point/ });
    await timeline.getByRole('img', { name: /^Online from/ }).waitFor();
    await timeline.getByText(/^Events in this time window: \d/).click();
    await timeline.getByRole('listitem').first().waitFor();
    await expectFitting(page);
  });
});
