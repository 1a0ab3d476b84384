// Sites and the event log in a real browser: what an operator sees of a fleet without opening an access point.
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { password } from './weft-process.ts';

const fleet = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  for (const ap_id of ['ap-hall-1', 'ap-hall-2', 'ap-roof-1']) {
    const commands = [{ name: 'set_channel', params: { channel: { enum: [36, 40, 44] } } }];
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60, commands };
    await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration } });
    const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
    await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { power_w: 5, channel: 36 } });
  }
  return { weft, token };
});

describe.skipIf(!hasBrowser)('a fleet in the dashboard', () => {
  test('has sites: created below one another, moved with what is below, deleted only when empty; and a log of what happened, filtered in the address, and as a timeline above the charts', async () => {
    const { weft, token } = await fleet();
    const labels = { token, json: { display_name: 'Great Hall' } };
    expect((await weft.request('PATCH', '/api/v1/agents/ap-hall-2/labels', labels)).status).toBe(200);
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
    await expect.poll(() => page.getByLabel('Path').inputValue()).toBe('uk/bristol/');
    await page.getByLabel('Path').fill('uk/bristol/hall');
    await page.getByLabel('Name').fill('Town hall');
    await page.keyboard.press('Enter');
    await page.getByText('Town hall', { exact: true }).first().waitFor();
    const json = { site: 'uk/bristol/hall' };
    expect((await weft.request('PATCH', '/api/v1/agents/ap-hall-1/labels', { token, json })).status).toBe(200);
    await follow(page, '/events');
    await heading(page, 'Events');
    await page.getByRole('list', { name: 'Today' }).getByRole('listitem').first().waitFor();
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
    await page.getByLabel('Access point', { exact: true }).fill('great h');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').filter({ hasText: 'Great Hall' }).first().waitFor();
    await page.getByRole('listitem').filter({ hasText: 'ap-hall-1' }).first().waitFor({ state: 'detached' });
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
    await timeline.getByText(/^\d+ events$/).click();
    await timeline.getByRole('listitem').first().waitFor();
    await expectFitting(page);

    await follow(page, '/sites');
    await heading(page, 'Sites');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'uk/bristol' })
      .first()
      .getByTitle('1 with those below')
      .first()
      .waitFor();
    // How the site gets on, by the access points in it.
    await page.getByRole('list', { name: 'Sites' }).getByText('Good', { exact: true }).first().waitFor();
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

  test('is selected, shown by metrics, labelled together with a preview, kept as a view, by keyboard, and shared', async () => {
    const { weft, token } = await fleet();
    const json = { username: 'grace@example.org', password, roles: ['user'] };
    await weft.request('POST', '/api/v1/users/', { token, json });
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    const selector = page.getByLabel('Which access points');
    await selector.fill('name:ap-* chanel=36 stat:x');
    await page.getByText(/column 21/).waitFor();
    await selector.fill('name:ap-* power_w>1');
    await page.getByText('3 match.').waitFor();
    await page.getByText('Add columns').click();
    await page.getByLabel('Power').check();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /5\sW/ }).first().waitFor();
    await page.getByRole('grid', { name: 'Access points' }).focus();
    for (const key of ['ArrowDown', 'x', 'ArrowDown', 'x']) await page.keyboard.press(key);
    await page.getByText('2 chosen').waitFor();
    const compared = page.getByRole('main').getByRole('link', { name: 'Compare' });
    expect(await compared.getAttribute('href')).toMatch(/^\/compare\?agents=ap-\w+-\d%2Cap-\w+-\d$/);
    await page.getByRole('button', { name: 'Site and tags' }).click();
    const dialog = page.getByRole('dialog', { name: 'Site and tags of 2 access points' });
    await dialog.getByLabel(/^Tags to add/).fill('lobby');
    await dialog.getByText('2 of 2 access points change.').waitFor();
    await dialog
      .getByText(/no tags → .*lobby/)
      .first()
      .waitFor();
    await expectFitting(page);
    await dialog.getByRole('button', { name: 'Change 2' }).click();
    await page.getByText('Labels of 2 access points changed').waitFor();
    await selector.fill('tag:lobby');
    await page.getByText('2 match.').waitFor();
    // All that match, in waves, with what each would do before it is done.
    await page.getByRole('button', { name: 'Act on all 2' }).click();
    const bulk = page.getByRole('dialog', { name: 'Act on all that match' });
    // A form of the declared arguments, and what each has now and would have.
    await bulk.getByRole('combobox', { name: 'Command', exact: true }).selectOption('set_channel');
    await bulk.getByLabel('channel').selectOption('44');
    await expect.poll(() => bulk.getByText('channel 36 → 44').count()).toBe(2);
    await bulk.getByLabel('Action').selectOption('Change site and tags');
    await bulk.getByLabel(/^Tags to add/).fill('ground-floor');
    await bulk.getByRole('button', { name: 'Show what would happen' }).click();
    // Labels touch no access point: neither waves nor a number to type.
    await bulk.getByRole('heading', { name: /^2 access points$/ }).waitFor();
    expect(await bulk.getByLabel(/wave|to confirm/).count()).toBe(0);
    await bulk.getByRole('button', { name: 'Run on 2' }).click();
    await bulk.getByText('2 done, 0 refused, 0 stopped').waitFor();
    await expectFitting(page);
    await bulk.getByRole('button', { name: 'Close' }).last().click();
    // What cannot be read leaves the old list grey; a text filters what is acted on.
    await selector.fill('tag:lobby (');
    await expect.poll(() => page.locator('.table.is-old[inert]').count()).toBe(1);
    await selector.fill('tag:lobby');
    await page.getByLabel('Filter access points').fill('GROUND');
    await page.getByText('with “GROUND” in their name, site or tags').waitFor();
    await page.getByRole('button', { name: 'Act on all 2' }).click();
    await bulk.getByText('with “GROUND” in their name, site or tags').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Filter access points').fill('');
    await selector.fill('name:ap-*');
    await page.getByText('3 match.').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are listed' }).check();
    await page.getByText('3 chosen').waitFor();
    await selector.fill('tag:lobby');
    await page.getByText('2 match.').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save or remove views' }).click();
    await page.getByLabel('Name of this view').fill('The lobby');
    await page.keyboard.press('Enter');
    await page.goto(`${weft.url}/agents`);
    await page.getByText('3 match.').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitemradio', { name: 'The lobby' }).click();
    await page.getByText('2 match.').waitFor();
    await expect.poll(() => selector.inputValue()).toBe('tag:lobby');

    // It is shared: a user gets rights on a part of it.
    await follow(page, '/users');
    await page.getByRole('row', { name: /grace@example.org/ }).click();
    await page.getByRole('button', { name: 'Add a grant' }).click();
    await page.getByLabel('Role', { exact: true }).last().selectOption('operator');
    await page.getByRole('button', { name: 'As text' }).click();
    await page.getByLabel('For which access points').fill('state:offline');
    await page.getByRole('button', { name: 'Save rights' }).click();
    // An agent can change its state itself: it decides about no rights.
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('For which access points').fill('name:ap-hall-*');
    await page.getByText('2 match.').waitFor();
    await expectFitting(page);
    await page.getByRole('button', { name: 'Save rights' }).click();
    await page.getByText('Rights of grace@example.org saved').waitFor();
    const { body } = await weft.request('GET', '/api/v1/users/grace@example.org/grants', { token });
    expect(body).toEqual([{ role: 'operator', selector: 'name:ap-hall-*' }]);
    // What a setting does not allow is said first, with its name.
    await follow(page, '/notifications?view=webhooks');
    const limits = page.getByRole('status').filter({ hasText: 'Webhooks may not send anywhere yet' });
    await limits.getByText(/WEFT_WEBHOOK_ALLOW/).waitFor();
  });

  test('has for a manager by grant the buttons for what it manages, and nowhere else', async () => {
    const { weft, token } = await fleet();
    const username = 'mia@example.org';
    const json = { username, password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
    const grants = [
      { role: 'viewer', selector: 'name:ap-*' },
      { role: 'manager', selector: 'name:ap-roof-*' },
    ];
    expect((await weft.request('PUT', `/api/v1/users/${username}/grants`, { token, json: grants })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { path: '/agents/ap-roof-1', title: 'ap-roof-1', username });
    await page.getByRole('button', { name: 'Name, site, tags' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Location and interval' }).count()).toBe(0);
    await follow(page, '/agents/ap-hall-1');
    await page.getByText('You may not send commands to this choice.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Name, site, tags' }).count()).toBe(0);
    await follow(page, '/agents?selector=name:ap-*');
    await page.getByRole('button', { name: 'Register an access point' }).waitFor();
    await page.getByRole('button', { name: /^Act on all/ }).waitFor();
    // While Weft is away one bar says so, over the page, in which nothing moves: on another page that is seen each time.
    if (!isLong) return;
    const places = () =>
      page.evaluate(
        `[...document.querySelectorAll('main h1, main [role="grid"]')].map((each) => each.getBoundingClientRect().top)`,
      );
    const before = await places();
    await page.route('**/api/**', (route) => route.abort());
    const bar = page.getByRole('alert').filter({ hasText: 'Weft cannot be reached.' });
    await bar.first().waitFor();
    // Once all that the page shows has failed, and is drawn.
    for (let times = 0; times < 2; times++) {
      const failed = page.waitForEvent('requestfailed', (request) => /\/agents\/?\?/.test(request.url()));
      await bar.getByRole('button', { name: 'Try again' }).first().click();
      await failed;
    }
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(await places()).toEqual(before);
  });
});
