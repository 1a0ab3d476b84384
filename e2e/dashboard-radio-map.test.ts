// The radio map in a real browser: a layer over the map of an emulated network, read by eye and by pointer, that follows
// commands; and the difference that a what-if analysis makes.
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, screens, type Visit } from './browser.ts';
import { startDemo } from './demo-network.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { sharedServer } from './weft-here.ts';
import { eventually } from './weft-process.ts';

type Page = Visit['page'];

const legend = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
const reading = (page: Page, name: string) => legend(page, name).locator('.radio-value');
const choose = (page: Page, name: string, value: string) => page.getByLabel(name, { exact: true }).selectOption(value);
/** Puts the pointer on the place that the view was centred on. */
const pointAtCentre = async (page: Page) => {
  const box = (await page.locator('.fleet-map').boundingBox())!;
  await page.mouse.move(box.x + box.width / 2 + 40, box.y + box.height / 2 + 40);
};
/** Which share of the layer is painted, in thousandths; or of the access points, whose canvas is the next. */
const painted = (page: Page, canvas = 1) =>
  page.evaluate(`(() => {
    const small = document.createElement('canvas');
    small.width = small.height = 100;
    const context = small.getContext('2d', { willReadFrequently: true });
    context.drawImage(document.querySelectorAll('.fleet-map canvas')[${canvas}], 0, 0, 100, 100);
    const { data } = context.getImageData(0, 0, 100, 100);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] > 0) count++;
    return count / 10;
  })()`) as Promise<number>;

/** One of the tests sends its 5G cells to sleep, and starts another network elsewhere. */
const demo = sharedServer(async (weft) => {
  const token = await weft.createAdmin();
  return { weft, token, agents: await startDemo(weft, token, 2) };
});

describe.skipIf(!hasBrowser)('the radio map', () => {
  test('is chosen, read and left; follows a command; and shows the difference of a what-if', async () => {
    const { weft, token, agents } = await demo();
    const [{ job_number }] = (await weft.request('GET', '/api/v1/emulator', { token })).body;
    const { page, requests } = await visitSignedIn(weft, { path: '/map', title: 'Map' });
    await page.getByText('6 of 6').waitFor();
    expect(await painted(page)).toBe(0);
    // From where names are not written.
    const zoom = async (name: 'in' | 'out') => {
      const before = page.url();
      await page.getByRole('button', { name: `Zoom ${name}` }).click();
      await page.waitForURL((url) => url.href !== before);
    };
    await page.waitForURL(/view=/);
    await zoom('out');
    const covered = await painted(page, 2);
    expect(covered).toBeGreaterThan(0);
    await zoom('in');

    await choose(page, 'Radio map layer', 'signal');
    await legend(page, 'Signal, 5G')
      .getByText(/Here from −\d/)
      .waitFor();
    await eventually(
      () => painted(page),
      (share) => share > 500,
    );
    // The access points leave the layer to be seen.
    await zoom('out');
    await expect.poll(() => painted(page, 2)).toBeLessThan(covered * 0.7);
    expect(await painted(page, 2)).toBeGreaterThan(0);
    await pointAtCentre(page);
    await reading(page, 'Signal, 5G')
      .getByText(/^−\d+(\.\d)?\sdBm$/)
      .waitFor();
    await expectFitting(page);

    await choose(page, 'Radio map layer', 'best_server');
    await pointAtCentre(page);
    await reading(page, 'Best server, 5G')
      .getByText(/5g-(.*-)?\d$/)
      .waitFor();
    await expect.poll(() => page.url()).toContain('radio=best_server');
    await choose(page, 'Technology', 'WiFi');
    await choose(page, 'Radio map layer', 'rate');
    await legend(page, 'Rate, WiFi')
      .getByText(/Here from \d/)
      .waitFor();

    // Asked again every few seconds: where all cells sleep, nothing is left.
    await choose(page, 'Technology', '5G');
    const own = agents.filter(({ access_point_type }) => access_point_type === '5G');
    for (const { ap_id } of own) {
      const path = `/api/v1/send_command?agent_id=${ap_id}&command=sleep`;
      expect((await weft.request('POST', path, { token })).status).toBe(200);
    }
    await legend(page, 'Rate, 5G').getByText('No access point of this technology is received').waitFor();
    await eventually(
      () => painted(page),
      (share) => share === 0,
    );

    await choose(page, 'Radio map layer', '');
    await legend(page, 'Rate, 5G').waitFor({ state: 'detached' });
    const asked = () => requests.filter(({ url }) => url.includes('/coverage?')).length;
    const before = asked();
    await page.getByText('6 of 6').waitFor();
    expect(asked()).toBe(before);

    await follow(page, `/commands/new?network=${job_number}`);
    await page.getByRole('checkbox', { name: /5g-(.*-)?1$/ }).check();
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByLabel('Command', { exact: true }).selectOption('wake');
    await form.getByRole('button', { name: 'What if' }).click();
    await form.getByRole('button', { name: 'Show everything' }).click();
    await page.getByRole('link', { name: 'Show on the map' }).click();
    await page.getByText('What-if difference').waitFor();
    await eventually(
      () => painted(page),
      (share) => share > 10,
    );
    await expectFitting(page);
    await page.getByRole('button', { name: 'Show present' }).click();
    await page.getByText('What-if difference').waitFor({ state: 'detached' });

    // One that is chosen is flown to; whoever looks elsewhere sees the one that is there.
    const kind = { access_point_type: '5G', num_access_points: 1, locations: ['Paris'], num_devices: 1, duration: 900 };
    const spinUp = { token, json: { emulators: [kind] } };
    const { body: paris } = await weft.request('POST', '/api/v1/emulator/spinup', spinUp);
    await page.getByText(/ of 7$/).waitFor();
    await choose(page, 'Emulated network', paris.job_number);
    await page.waitForURL(/view=48\.\d*%2C2\.\d*/);
    await page.getByText('1 of 7').waitFor();
    // Which one that is, is what radio-view.test.ts is about.
    if (!isLong) return;
    const { latitude, longitude } = agents[0]!.location;
    await follow(page, '/agents');
    await heading(page, 'Access points');
    await follow(page, `/map?radio=signal&network=${paris.job_number}&view=${latitude},${longitude},14`);
    await expect.poll(() => page.getByLabel('Emulated network', { exact: true }).inputValue()).toBe(job_number);
  });

  test('is used by touch on a phone, in the dark', async () => {
    const { weft, agents } = await demo();
    const { location } = agents.find(({ access_point_type }) => access_point_type === 'WiFi')!;
    const path = `/map?radio=sinr&radio_type=WiFi&view=${location.latitude},${location.longitude},18`;
    const { page } = await visitSignedIn(weft, { ...screens.phone, colorScheme: 'dark', path, title: 'Map' });
    await legend(page, 'SINR, WiFi').getByText('Tap the map to read a value.').waitFor();
    const box = (await page.locator('.fleet-map').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2 + 60, box.y + box.height / 2 + 60);
    await reading(page, 'SINR, WiFi')
      .getByText(/^−?\d+(\.\d)?\sdB$/)
      .waitFor();
  });
});
