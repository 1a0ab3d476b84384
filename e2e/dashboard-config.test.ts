// What access points shall be, in a real browser: a change set is drafted, previewed, rolled out, stopped by one that goes back, and
// taken back; drift is adopted; a draft is rebased; and who may only read finds no buttons.
import { describe, expect, test } from 'vitest';
import { hasBrowser, screens } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

type Body = Record<string, unknown>;
const settings = {
  channel: { type: 'integer', enum: [36, 40, 100], parameter: 'channel', restart: 'radio' },
  tx_power_dbm: { type: 'number', minimum: 0, maximum: 20 },
};

/** Two access points that obey when a test says so, and an alarm. */
const network = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown, bearer = token) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token: bearer, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  await ask('POST', '/sites', { path: 'uk/hall' });
  const condition = { metric: 'queue_ms', op: '>', value: 100 };
  await ask('POST', '/alarm_rules', { name: 'queue too long', condition, for_seconds: 0, severity: 'major' });
  const agents: Record<string, string> = {};
  for (const ap_id of ['hall-1', 'hall-2']) {
    const configuration = { access_point_type: 'WiFi', report_interval_seconds: 60, settings };
    await ask('POST', '/agents/', { ap_id, password, configuration });
    agents[ap_id] = (await weft.login(ap_id, password, 'agent')).body.access_token;
    await ask('POST', '/agent_update/update', { queue_ms: 500 }, agents[ap_id]);
    await ask('PATCH', `/agents/${ap_id}/labels`, { tags: ['hall'], display_name: `Hall, door ${ap_id.at(-1)}` });
  }
  const say = (ap_id: string, running: Body) => ask('POST', `/agents/${ap_id}/config/running`, running, agents[ap_id]);
  /** Takes the next settings and comes back with them. */
  const received = (ap_id: string) =>
    eventually(
      async () => (await ask('GET', `/agents/${ap_id}/config/next?wait=0`, undefined, agents[ap_id])).next,
      (next) => next?.type === 'config',
    );
  const obey = async (ap_id: string) => {
    const { id, hash, settings: given } = await received(ap_id);
    await ask('POST', `/agents/${ap_id}/config/${id}/result`, { hash, state: 'applied' }, agents[ap_id]);
    for (let time = 0; time < 2; time++) await say(ap_id, { hash, settings: given });
    return { hash, settings: given as Body };
  };
  const goBack = async (ap_id: string, before: Body) => {
    const { id, hash } = await received(ap_id);
    await ask('POST', `/agents/${ap_id}/config/${id}/result`, { hash, state: 'applied' }, agents[ap_id]);
    await say(ap_id, { ...before, reverted: { id, reason: 'no connection after the change' } });
  };
  return { weft, ask, say, obey, goBack };
});

describe.skipIf(!hasBrowser)('configuration in the dashboard', () => {
  test('a change is drafted, previewed, rolled out, stopped and taken back; drift is adopted, and an old draft rebased', async () => {
    const { weft, ask, say, obey, goBack } = await network();
    const { page } = await visitSignedIn(weft, { path: '/configuration', title: 'Configuration' });
    await page.getByRole('heading', { name: /^No layers yet/ }).waitFor();
    await follow(page, '/configuration?view=values');
    await page.getByRole('button', { name: 'Set a secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('guest-psk');
    await dialog.getByLabel('Value').fill('open sesame, please');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^guest-psk version 1 every access point/ }).waitFor();
    // It is shared, and one of the same name is set for a site.
    await page
      .getByRole('row', { name: /^guest-psk/ })
      .getByRole('button', { name: 'Change' })
      .click();
    await dialog.getByLabel('Who may name it').selectOption('true');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^guest-psk version 1 · shared every access point/ }).waitFor();
    await page.getByRole('button', { name: 'Set a secret' }).click();
    await dialog.getByLabel('Site or access point').fill('uk/hall');
    await dialog.getByLabel('Name', { exact: true }).fill('guest-psk');
    await dialog.getByLabel('Value').fill('the hall has its own');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^guest-psk version 1 uk\/hall/ }).waitFor();
    await page
      .getByRole('row', { name: /uk\/hall/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Secret removed').waitFor();
    expect((await ask('GET', '/config/secrets')).items).toMatchObject([
      { name: 'guest-psk', site: null, shared: true },
    ]);
    await page.getByRole('button', { name: 'Set a variable' }).click();
    await dialog.getByLabel('Site or access point').fill('Hall, door 2');
    await dialog.getByLabel('Name').fill('power');
    await dialog.getByLabel('Value').fill('12');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^power 12 Hall, door 2/ }).waitFor();
    expect(await page.content()).not.toContain('open sesame');

    await follow(page, '/configuration');
    await page.getByRole('link', { name: 'New change set' }).click();
    await heading(page, 'New change set');
    await page.getByLabel('Title').fill('Hall to channel 100');
    await page.getByRole('button', { name: 'Save and preview' }).click();
    await page.getByText('Add a layer before you save.').waitFor();
    await page.getByRole('button', { name: 'Add a layer' }).click();
    const layer = page.getByRole('group', { name: 'Layer' });
    await layer.getByRole('button', { name: 'As text' }).click();
    await layer.getByLabel('Access points', { exact: true }).fill('tag:hall');
    await layer.getByText('2 match.').waitFor();
    await layer.getByLabel('Settings').fill('{\n  "channel": 99\n');
    await layer.getByLabel('Name').fill('Hall');
    await page.getByRole('button', { name: 'Save and preview' }).click();
    await page.getByText(/^This is not valid JSON at line 2, column \d+\./).waitFor();
    const json = page.getByRole('textbox', { name: 'Settings' });
    await json.fill('{"channel": 99, "tx_power_dbm": "${power}"}');
    await page.getByRole('button', { name: 'Save and preview' }).click();
    // Who cannot take it, by name, with the setting and the layer.
    await heading(page, 'Hall to channel 100');
    await page.getByRole('row', { name: /^Hall, door 1 channel Hall/ }).waitFor();
    await page.getByRole('row', { name: /^Hall, door 1 tx_power_dbm Hall .*variable power/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Roll out' }).isDisabled()).toBe(true);
    await expectFitting(page);
    await json.fill('{"channel": 100}');
    await page.getByRole('button', { name: 'Save and preview' }).click();
    await page.getByRole('heading', { name: /^2\saccess points restarts the radio$/ }).waitFor();
    await page.getByText('channel not set → 100').first().waitFor();
    await page.getByText('Hall, door 1, Hall, door 2', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Roll out' }).click();
    await dialog.getByLabel('Waves').fill('some\n100 %');
    await dialog.getByLabel('Stop by this metric').fill('queue_ms');
    await dialog.getByRole('button', { name: /^Roll out to 2/ }).click();
    await dialog.getByText('Enter a number', { exact: true }).waitFor();
    await dialog.getByLabel('If worse by').fill('5');
    await dialog.getByRole('button', { name: /^Roll out to 2/ }).click();
    await dialog.getByText(/^Change “some” to a share/).waitFor();
    await dialog.getByLabel('Waves').fill('name:hall-1\n100 %');
    await expectFitting(page);
    await dialog.getByRole('button', { name: /^Roll out to 2/ }).click();

    await page.getByText('Access points that are named hall-1').waitFor();
    await goBack('hall-1', { hash: null, settings: { channel: 36 } });
    await page
      .getByText('0 of 2 confirmed, 1 reverted (no connection after the change), 1 waiting for their turn')
      .waitFor();
    await page.getByText(/1 failed, more than 0: Hall, door 1 reverted/).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Went backHall, door 1Wave 1 · no connection/ })
      .waitFor();
    await page.getByRole('figure', { name: /^Chart of Queue\. Changed/ }).waitFor();
    await expectFitting(page);
    await page.getByRole('button', { name: 'Take back' }).click();
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
    await obey('hall-1');
    await page.getByText('1 of 1 back at what they were, 1 never touched').waitFor();

    const draft = (title: string, each: Body) => ask('POST', '/config/change_sets', { title, layers: [each] });
    const hall = { name: 'Hall', selector: 'tag:hall', weight: 10, settings: { channel: 40 } };
    const { id } = await draft('Hall to 40', hall);
    const rollout = await ask('POST', `/config/change_sets/${id}/rollout`, {});
    const runs = [await obey('hall-1'), await obey('hall-2')];
    await follow(page, `/configuration/rollouts/${rollout.id}`);
    await page.getByText('2 of 2 confirmed').first().waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await follow(page, '/configuration');
    const row = page.getByRole('listitem').filter({ hasText: 'Access points that are tagged hall' });
    await row.getByRole('link', { name: /^2\saccess points$/ }).waitFor();
    await row.getByText('channel 40').waitFor();

    await say('hall-1', { ...runs[0], settings: { channel: 36 } });
    await follow(page, '/agents/hall-1');
    const card = page.locator('.config-agent');
    // What is drawn above it later moves it out of sight again.
    const drifted = card.getByText('Drifted', { exact: true });
    await expect.poll(() => card.scrollIntoViewIfNeeded().then(() => drifted.count())).toBe(1);
    await card.getByText('runs 36').waitFor();
    await card.getByText('from Hall, version 1').waitFor();
    await card.getByRole('button', { name: 'Adopt what it runs' }).click();
    await dialog.getByLabel('Reason').fill('radar on 40');
    await dialog.getByRole('button', { name: 'Adopt what it runs' }).click();
    await card.getByText('from hall-1: radar on 40, version 1').waitFor();
    await obey('hall-1');
    const layers = async () => (await ask('GET', '/config/layers')).items as Body[];
    await eventually(layers, ({ length }) => length === 2);

    // Two drafts of one layer: the second is not rolled out over the first unseen.
    const known = (await layers()).find(({ name }) => name === 'Hall')!;
    const mine = await draft('More power', { ...hall, id: known.id, settings: { channel: 40, tx_power_dbm: 15 } });
    const theirs = await draft('Channel', { ...hall, id: known.id, settings: { channel: 100 } });
    await ask('POST', `/config/change_sets/${theirs.id}/rollout`, {});
    await obey('hall-2');
    await follow(page, `/configuration/changes/${mine.id}`);
    await page.getByRole('button', { name: 'Rebase' }).click();
    await page.getByText('Rebased on the layers in force').waitFor();
    await page.getByText('tx_power_dbm not set → 15').first().waitFor();
    // Also what it takes back of theirs is said.
    await page.getByText('channel 100 → 40').waitFor();
  });

  test('who may only read finds no buttons, for alarms neither, and who may not read finds no page', async () => {
    const { weft, ask } = await network();
    for (const username of ['reader@example.org', 'viewer@example.org'])
      await ask('POST', '/users/', { username, password, roles: ['user'] });
    await ask('PUT', '/users/viewer@example.org/grants', [{ role: 'viewer' }]);
    const plain = { username: 'reader@example.org', path: '/alarms', title: 'Alarms', ...screens.phone };
    const { page } = await visitSignedIn(weft, plain);
    await page.getByText(/queue/).first().waitFor();
    expect(await page.getByRole('button', { name: /^(Acknowledge|Shelve|Clear)$/ }).count()).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Configuration' }).click();
    await heading(page, 'Configuration');
    await page.getByText(/^Layers are laid over each other/).waitFor();
    expect(await page.getByRole('link', { name: 'New change set' }).count()).toBe(0);
    await follow(page, '/configuration/changes/new');
    await page.getByRole('heading', { name: 'Only managers and administrators draft changes' }).waitFor();

    const viewer = { username: 'viewer@example.org', path: '/configuration', title: 'Configuration' };
    const { page: other } = await visitSignedIn(weft, viewer);
    await other.getByRole('heading', { name: 'This page is for managers' }).waitFor();
    expect(await other.getByRole('link', { name: 'Configuration' }).count()).toBe(0);
  });
});
