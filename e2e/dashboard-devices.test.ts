// Devices in a real browser: the list, one device with its links, steering that ends as the network saw it, and what is kept of
// it. A few access points report them over HTTP.
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, type Visit } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually, password, type Weft } from './weft-process.ts';

type Page = Visit['page'];

const places = {
  'cell-1': { access_point_type: '5G', geolocation: { latitude: 51.4545, longitude: -2.5879 } },
  'hall-1': { access_point_type: 'WiFi', geolocation: { latitude: 51.4548, longitude: -2.5871 } },
  'desk-1': { access_point_type: 'WiFi', geolocation: { latitude: 51.4543, longitude: -2.5875 } },
  'hall-2': { access_point_type: 'WiFi', geolocation: { latitude: 51.4542, longitude: -2.5869 } },
  'lamp-1': { access_point_type: 'LiFi', geolocation: { latitude: 51.4546, longitude: -2.587 } },
};
type Name = keyof typeof places;
const viewer = 'grace@example.org';
/** Of a device that stays where it is, and of one that is moved. */
const addresses = { phone: '02:5e:ed:00:00:01', laptop: '02:5e:ed:00:00:02' };

class Network {
  readonly weft: Weft;
  readonly admin: string;
  readonly #tokens = new Map<string, string>();

  constructor(weft: Weft, admin: string) {
    this.weft = weft;
    this.admin = admin;
  }

  async ask(method: string, path: string, json?: unknown, token = this.admin) {
    const { status, body } = await this.weft.request(method, `/api/v1${path}`, { token, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  }

  async add(ap_id: string, configuration: object): Promise<void> {
    // They report when a test says so, and stay online in between.
    const commands = [{ name: 'steer_device' }];
    const json = { ap_id, password, configuration: { report_interval_seconds: 3600, commands, ...configuration } };
    await this.ask('POST', '/agents/', json);
    this.#tokens.set(ap_id, (await this.weft.login(ap_id, password, 'agent')).body.access_token);
  }

  async report(ap_id: string, devices?: object[]): Promise<void> {
    await this.ask('POST', '/agent_update/update', { load: 0.4, ...(devices && { devices }) }, this.#tokens.get(ap_id));
  }

  /** The next command of the access point, answered so. */
  async answer(ap_id: string, json: object): Promise<{ device: string; target: string }> {
    const token = this.#tokens.get(ap_id)!;
    const [command] = await eventually<{ command_id: string; args: { device: string; target: string } }[]>(
      () => this.ask('GET', `/agents/${ap_id}/commands?wait=5`, undefined, token),
      (commands) => commands.length > 0,
    );
    const { command_id, args } = command!;
    await this.ask('POST', `/agents/${ap_id}/commands/${command_id}`, json, token);
    return args;
  }

  async pseudonym(ap_id: string): Promise<string> {
    return (await this.ask('GET', `/agents/${ap_id}/devices`)).items[0].device;
  }
}

const heard = (ap_id: Name, rssi_dbm: number) => ({ ap_id, rssi_dbm });
const near = {
  rssi_dbm: -51,
  snr_db: 32,
  rx_mbps: 86.7,
  tx_mbps: 120,
  heard: [heard('hall-2', -67), heard('lamp-1', -60), { bssid: '02:00:00:00:0a:00', rssi_dbm: -74 }],
};
const others = (kind: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ device: `${kind}-${index}`, rssi_dbm: -60 - index, tx_mbps: 20 }));

const network = sharedServer(async (weft) => {
  const here = new Network(weft, await weft.createAdmin());
  for (const [ap_id, configuration] of Object.entries(places)) await here.add(ap_id, configuration);
  await here.add('silent-1', { access_point_type: 'WiFi' });
  await here.report('silent-1');
  await here.add('hall-3', { access_point_type: 'WiFi' });
  await here.report('hall-2', others('tablet', 3));
  await here.report('hall-3', others('guest', 8));
  await here.report('lamp-1', []);
  await here.report('hall-1', [{ device: addresses.phone, ...near }]);
  await here.report('desk-1', [{ device: addresses.laptop, ...near }]);
  const far = Object.values(addresses).map((device) => ({ device, rssi_dbm: -88, rx_mbps: 20, tx_mbps: 90 }));
  await here.report('cell-1', far);
  await here.ask('POST', '/users/', { username: viewer, password, roles: ['user'] });
  await here.ask('PUT', `/users/${viewer}/grants`, [{ role: 'viewer', selector: 'name:hall-3' }]);
  return { here, weft, phone: await here.pseudonym('hall-1'), laptop: await here.pseudonym('desk-1') };
});

const steer = async (page: Page, target: string) => {
  const form = page.getByRole('form', { name: 'Steer this device' });
  await form.getByLabel('From').selectOption('desk-1');
  await form.getByLabel('To').selectOption(target);
  // Two commands to one device are a second apart: too early a click is told so, and may be repeated.
  await eventually(
    async () => {
      await form.getByRole('button', { name: 'Steer' }).click();
      const told = page.getByText(/^Waiting until|ms apart/);
      await told.waitFor();
      return await told.textContent();
    },
    (words) => words?.startsWith('Waiting') ?? false,
  );
};

describe.skipIf(!hasBrowser)('devices in the dashboard', () => {
  test('are listed, searched without addresses, selected, and found on access points, by the search and on the map; with their addresses while that is allowed', async () => {
    const { weft, phone: device } = await network();
    const { page, requests } = await visitSignedIn(weft, { path: '/devices', title: 'Devices' });
    const row = page.getByRole('row', { name: device });
    await row.getByText('hall-1 +1').waitFor();
    await row.getByText('−51 dBm').waitFor();
    await row.getByText('120 Mb/s / 86.7 Mb/s').waitFor();
    await page.getByText(/\d+ match\.$/).waitFor();

    // The server sorts by any column, both ways.
    const signal = page.getByRole('columnheader', { name: 'Signal' }).getByRole('button');
    for (const [sort, level] of [
      ['rssi_dbm', '−67 dBm'],
      ['-rssi_dbm', '−51 dBm'],
    ]) {
      await signal.click();
      await page.getByRole('row').nth(1).getByText(level!).waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe(sort);
    }
    await page.getByRole('columnheader', { name: 'Device' }).getByRole('button').click();

    const search = page.getByLabel('Search by pseudonym, access point, site or technology');
    await search.fill(device.slice(0, 12));
    await page.getByText('1 match.').waitFor();
    await expect.poll(() => page.url()).toContain(`q=${device.slice(0, 12)}`);
    // An address goes nowhere: not to the server, not into the address bar.
    await search.fill(addresses.phone);
    await page.getByText('This looks like the address of a device.').waitFor();
    await expect.poll(() => page.url()).not.toContain('q=');
    expect(requests.filter(({ url }) => /5e(:|%3A)ed/i.test(url))).toEqual([]);
    await search.fill('');
    await page.getByLabel('Devices at which access points').fill('name:hall-1');
    await page.getByText('1 match.').waitFor();

    await follow(page, '/agents/hall-1');
    await page.getByRole('region', { name: 'Devices' }).getByRole('link', { name: device }).waitFor();
    await follow(page, '/agents/lamp-1');
    await page.getByText('No devices are attached.').waitFor();
    await follow(page, '/agents/silent-1');
    await page.getByText('This access point has not reported which devices it serves.').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find an access point, page or action' }).fill(device);
    await page.getByRole('option', { name: device }).click();
    await heading(page, device);
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await heading(page, 'Map');
    const panel = page.getByRole('region', { name: device });
    await panel.getByRole('link', { name: 'hall-1' }).waitFor();
    await panel.getByText('Weft does not know where devices are.').waitFor();
    await panel.getByRole('button', { name: 'Back to the list' }).click();
    await page.getByText('Visible').first().waitFor();
    await expect.poll(() => page.url()).not.toContain('device=');

    // Their addresses are shown to administrators while one allows it.
    await follow(page, '/settings');
    const choose = async (choice: string, action: string, done: string) => {
      await page.getByLabel(choice, { exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: action }).click();
      await page.getByText(done).waitFor();
    };
    // Whoever thinks better of it has changed nothing.
    await page.getByLabel('Pseudonyms and addresses').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => page.getByLabel('Pseudonyms only').isChecked()).toBe(true);
    await choose('Pseudonyms and addresses', 'Show addresses', 'Administrators see addresses');
    await expect.poll(() => page.getByLabel('Pseudonyms and addresses').isChecked()).toBe(true);
    await follow(page, `/devices/${device}`);
    await page.getByText(addresses.phone).first().waitFor();
    await follow(page, '/settings');
    await choose('Pseudonyms only', 'Hide addresses', 'Addresses are hidden');
    await follow(page, `/devices/${device}`);
    await page.getByText('Links now').waitFor();
    await expect.poll(() => page.getByText(addresses.phone).count()).toBe(0);
  });

  test('have a page: links over time, what they hear, steering as the network saw it, a history while watched, and an end', async () => {
    const { here, weft, laptop: device } = await network();
    const { page } = await visitSignedIn(weft, { path: `/devices/${device}`, title: device });
    const bands = page.getByRole('region', { name: 'Access points that served the device, over time' });
    await bands.getByRole('img', { name: /^desk-1 from .* to now$/ }).waitFor();
    await bands.getByRole('img', { name: /^cell-1 from .* to now$/ }).waitFor();
    await page.getByText('02:00:00:00:0a:00').waitFor();
    await page.getByText('randomised: it may come back').waitFor();
    const targets = page.getByRole('form', { name: 'Steer this device' }).getByLabel('To').locator('option');
    const offered = (await targets.allTextContents()).map((words) => words.replaceAll(/\s/g, ' '));
    expect(offered).toEqual(['Choose an access point', 'lamp-1 (−60 dBm)', 'hall-2 (−67 dBm)']);

    // The device says no: it is told so, with its reason, and remembered.
    await steer(page, 'hall-2');
    const asked = await here.answer('desk-1', { state: 'failed', result: { answer: 'refused', status_code: 6 } });
    expect(asked).toMatchObject({ device: addresses.laptop, target: 'hall-2' });
    await page.getByText('The device refused to move to hall-2 (reason code 6).').waitFor();
    await page.getByText('It refused to move to hall-2.').waitFor();

    // It goes: only a report of the target says so.
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.getByRole('button', { name: 'Stop watching' }).waitFor();
    await steer(page, 'lamp-1');
    await here.answer('desk-1', { state: 'succeeded', result: { answer: 'accepted' } });
    await here.report('lamp-1', [{ ...near, device: addresses.laptop, rssi_dbm: -44 }]);
    await here.report('desk-1', []);
    await page.getByText('It moved: lamp-1 reports the device.').waitFor();
    await bands.getByRole('img', { name: /^lamp-1 from .* to now$/ }).waitFor();
    await bands.getByRole('img', { name: /^desk-1 from .* to \d/ }).waitFor();
    await bands.getByRole('img', { name: /Steering to lamp-1: moved$/ }).waitFor();
    const past = page.getByRole('list', { name: 'Moves and steering' });
    await past.getByText('Moved to lamp-1 from desk-1').waitFor();
    await past.getByText('Steering from desk-1 to hall-2: refused by the device').waitFor();
    await page.getByRole('figure', { name: /^Chart of Signal\. .*lamp-1: −44 dBm/ }).waitFor();
    await expectFitting(page);

    await page.getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop watching' }).click();
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();

    // Another name of the same device, never an address.
    const other = await here.pseudonym('hall-2');
    await page.getByRole('button', { name: 'Link a name' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Other pseudonym').fill(addresses.phone);
    await dialog.getByRole('button', { name: 'Link' }).click();
    await dialog.getByText('This looks like the address of a device.').waitFor();
    await dialog.getByLabel('Other pseudonym').fill(device);
    await dialog.getByRole('button', { name: 'Link' }).click();
    await dialog.getByText('These names are one device already').waitFor();
    await expectFitting(page);
    await dialog.getByLabel('Other pseudonym').fill(other);
    await dialog.getByRole('button', { name: 'Link' }).click();
    await page.getByText('They are one device now').waitFor();
    await page.getByText(other, { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Erase' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase device' }).click();
    await heading(page, 'Devices');
    await page.getByLabel('Search by pseudonym, access point, site or technology').fill(device);
    await page.getByText('0 match.').waitFor();
  });

  test('are those of the access points that somebody may read, who is offered nothing else', async () => {
    const { weft } = await network();
    const { page } = await visitSignedIn(weft, { username: viewer, path: '/devices', title: 'Devices' });
    await page.getByText('8 match.').waitFor();
    await page.getByRole('row').nth(1).click();
    await page.getByText('Links now').waitFor();
    await page.getByRole('button', { name: 'Watch', exact: true }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Erase|Steer/ }).count()).toBe(0);
  });

  test('are many: thousands are scrolled to the end and searched, and only what is in sight is read again', async () => {
    const count = isLong ? 10_000 : 1500;
    const { weft } = await network();
    const prepare = (page: Page) => routeDevices(page, count);
    const { page, requests } = await visitSignedIn(weft, { path: '/devices', title: 'Devices', prepare });
    await page.getByText(isLong ? /10.000 match/ : /1.?500 match/).waitFor();
    const last = page.getByRole('row', { name: pseudonymAt(count - 1) });
    await eventually(
      async () => {
        await page.evaluate('document.querySelector(".table").scrollTop = 1e9');
        return await last.count();
      },
      (count) => count === 1,
    );
    // Rows that are known are not asked for again while the list grows.
    const pages = requests.filter(({ url }) => url.includes('/api/v1/devices?'));
    expect(pages.length).toBeLessThan(count / 1000 + 21);
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(80);
    await page.getByLabel('Search by pseudonym, access point, site or technology').fill(pseudonymAt(1_234));
    await page.getByText('1 match.').waitFor();
    await page.getByRole('row', { name: pseudonymAt(1_234) }).waitFor();
  });
});

const letters = 'abcdefghijklmnopqrstuvwxyz';
function pseudonymAt(index: number): string {
  const digits = [3, 2, 1, 0].map((power) => letters[Math.floor(index / 26 ** power) % 26]);
  return `dev-${digits.join('')}${'a'.repeat(12)}`;
}

/** As the server would list them, page by page. */
async function routeDevices(page: Page, count: number): Promise<void> {
  const seen = new Date().toISOString();
  const names = Array.from({ length: count }, (_, index) => pseudonymAt(index));
  const toDevice = (device: string) => {
    const values = { rssi_dbm: -60, snr_db: 20, rx_mbps: 10, tx_mbps: 20, since: seen, seen };
    const links = [{ ap_id: 'hall-1', access_point_type: 'WiFi', ...values }];
    const rest = { heard: [], randomised: false, last_seen: seen, last_ap_id: 'hall-1' };
    return { device, technologies: ['WiFi'], links, ...rest };
  };
  await page.route(/\/api\/v1\/devices\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const matching = names.filter((name) => name.includes(query.get('search') ?? ''));
    const from = matching.findIndex((name) => name > (query.get('cursor') ?? ''));
    const listed = from < 0 ? [] : matching.slice(from, from + Number(query.get('limit')));
    const last = listed.at(-1);
    const next = last !== undefined && last !== matching.at(-1) ? last : null;
    return route.fulfill({ json: { items: listed.map(toDevice), next, count: matching.length } });
  });
}
