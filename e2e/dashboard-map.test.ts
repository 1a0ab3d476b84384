// The map in a real browser: found by eye, by keyboard and by screen reader; offline; lamps three metres apart told apart;
// and nothing that an access point says about itself becomes part of the page.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser, screens, type Visit } from './browser.ts';
import { startDemo } from './demo-network.ts';
import { imagineFleet, routeFleet } from './imagined-fleet.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve, sharedServer } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

type Page = Visit['page'];

/** Nobody changes anything of this network. */
const demo = sharedServer(async (weft) => ({ weft, agents: await startDemo(weft, await weft.createAdmin()) }));

const visible = (page: Page) => page.getByRole('listbox', { name: 'Visible access points' });
const clickCentre = async (page: Page) => {
  const box = (await page.locator('.fleet-map').boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
};

describe.skipIf(!hasBrowser)('the map', () => {
  test('shows the fleet, filters it in the address, opens an access point by keyboard, and tells lamps apart', async () => {
    const { weft, agents } = await demo();
    const { page, requests } = await visitSignedIn(weft, { path: '/map', title: 'Map' });
    await page.getByText('12 of 12').waitFor();
    // The view is in the address, and the ground comes from this server.
    await eventually(
      async () => page.url(),
      (url) => /view=51\.45\d*%2C-2\.59\d*%2C1\d/.test(url),
    );
    await page.getByLabel('Type').selectOption('LiFi');
    await page.getByText('4 of 4').waitFor();
    await page.getByLabel('Search by name or site').fill('nothing-like-it');
    await page.getByText('No access points match this filter.').waitFor();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByText('12 of 12').waitFor();

    await visible(page).focus();
    // The worst are first: where it stands follows from how they all are.
    const wanted = visible(page).getByRole('option', { name: /5g-(.*-)?2\b/ });
    await eventually(
      async () => {
        if ((await wanted.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
        return wanted.getAttribute('aria-selected');
      },
      (isSelected) => isSelected === 'true',
    );
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: /5g-(.*-)?2$/ });
    await panel.getByText('Throughput', { exact: true }).waitFor();
    await panel
      .getByText(/\d\sMb\/s$/)
      .first()
      .waitFor();
    await panel.getByRole('link', { name: 'Open charts and commands' }).click();
    await page.getByRole('heading', { level: 1, name: /5g-(.*-)?2$/ }).waitFor();
    await page.goBack();
    await panel.waitFor();

    await page.locator('.fleet-map').focus();
    await eventually(
      async () => {
        await page.keyboard.press('-');
        return requests.filter(({ url, status }) => url.includes('countries-110m') && status === 200).length;
      },
      (count) => count > 0,
    );

    // The first lamp shares its place with a cell and a WiFi access point; the others are three metres apart.
    const lamps = agents
      .filter(({ access_point_type }) => access_point_type === 'LiFi')
      .slice(1, isLong ? undefined : 2);
    for (const { ap_id, location } of lamps) {
      await follow(page, '/agents');
      await heading(page, 'Access points');
      await follow(page, `/map?view=${location.latitude},${location.longitude},20`);
      await visible(page).getByRole('option').first().waitFor();
      await eventually(
        async () => {
          await clickCentre(page);
          return new URL(page.url()).searchParams.get('agent');
        },
        (chosen) => chosen === ap_id,
      );
    }
  });

  // The radio map, on the same page, is used by touch each time.
  test.runIf(isLong)('is used by touch on a phone', async () => {
    const { weft, agents } = await demo();
    const { latitude, longitude } = agents[1]!.location;
    const path = `/map?view=${latitude},${longitude},16`;
    const { page } = await visitSignedIn(weft, { ...screens.phone, path, title: 'Map' });
    await visible(page).getByRole('option').first().waitFor();
    const box = (await page.locator('.fleet-map').boundingBox())!;
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByRole('region', { name: /5g-(.*-)?2$/ }).waitFor();
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await visible(page).waitFor();
    const before = page.url();
    await page.getByRole('button', { name: 'Show all access points' }).click();
    await eventually(
      async () => page.url(),
      (url) => url !== before,
    );
    await page.getByText('12 of 12').waitFor();
  });

  test('names places, colours by a metric, says who sleeps, shows the pictures of a map server, and what an access point says as text', async () => {
    const asked: string[] = [];
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const tiles = createServer((request, response) => {
      asked.push(`${request.url} ${request.headers.referer ?? ''}`);
      response.setHeader('content-type', 'image/png').end(pixel);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void tiles.close());
    await once(tiles, 'listening');
    const origin = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}`;
    const env = { WEFT_TILE_URL: `${origin}/{z}/{x}/{y}.png`, WEFT_TILE_ATTRIBUTION: 'Maps by us' };
    const weft = await serve({ env });
    const token = await weft.createAdmin();
    for (const [index, active] of [1, 0, 1].entries()) {
      const ap_id = `ap-${index}`;
      const geolocation = { latitude: 51.45 + index / 500, longitude: -2.59 };
      const configuration = { access_point_type: '5G', geolocation, report_interval_seconds: 60 };
      await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id, password, configuration } });
      const agent = (await weft.login(ap_id, password, 'agent')).body.access_token;
      const report = { active, power_w: 100 * (index + 1) };
      await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: report });
    }
    const { page, requests } = await visitSignedIn(weft, { path: '/map', title: 'Map' });
    await page.getByText('Maps by us').waitFor();
    await page.getByText(/^Bristol · /).waitFor();
    await eventually(
      async () => asked.length,
      (count) => count > 0,
    );
    // The map server learns which part of the world is looked at, and nothing of Weft.
    expect(asked.filter((line) => !/^\/\d+\/\d+\/\d+\.png $/.test(line))).toEqual([]);
    await visible(page).getByRole('option', { name: 'ap-1 Asleep' }).waitFor();
    await page.getByLabel('Colour by').selectOption('Power (W)');
    const legend = page.getByRole('region', { name: /^Colours: Power/ });
    // Who sleeps has no part in it.
    await legend.getByText('100\u2009W').waitFor();
    await legend.getByText('300\u2009W').waitFor();
    await visible(page).getByRole('option', { name: 'ap-1 Asleep' }).click();
    await page.getByText('It is asleep and serves no devices.').waitFor();
    await page.getByText('none at present').waitFor();
    await expectFitting(page);
    await follow(page, '/agents/ap-1');
    await page.getByText('Asleep', { exact: true }).waitFor();

    // What an access point says about itself is text, everywhere (X5).
    const evil = '<img src=x onerror=alert(1)>';
    const metrics = { power_w: { label: `${evil} power`, unit: evil } };
    const geolocation = { latitude: 51.4552, longitude: -2.5966 };
    const configuration = { access_point_type: evil, label: evil, site: evil, geolocation, metrics };
    const json = { ap_id: 'ap-evil', password, configuration };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    const agent = (await weft.login('ap-evil', password, 'agent')).body.access_token;
    const report = { token: agent, json: { power_w: 12, [evil]: 3 } };
    await weft.request('POST', '/api/v1/agent_update/update', report);
    const good = await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { power_w: 12 } });
    expect(good.status).toBe(200);

    await follow(page, '/agents');
    await page
      .getByRole('row', { name: /ap-evil/ })
      .getByText(evil)
      .waitFor();
    await follow(page, '/map?agent=ap-evil');
    const panel = page.getByRole('region', { name: 'ap-evil' });
    await panel.getByText(evil, { exact: true }).first().waitFor();
    await panel.getByText(`${evil} power`).waitFor();
    await follow(page, '/agents/ap-evil');
    await heading(page, 'ap-evil');
    await page.getByRole('figure', { name: /power/ }).waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('definition').filter({ hasText: evil }).first().waitFor();
    await page.keyboard.press('Escape');
    await follow(page, '/');
    await page.getByRole('link', { name: /^Online \d/ }).waitFor();
    await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0);
    await page.goto('about:blank');
    requests.splice(0, requests.length, ...requests.filter(({ url }) => !url.startsWith(origin)));
  });

  test('is left while it zooms and before its ground has come, and nothing of it stays behind', async () => {
    const { weft } = await demo();
    const moving = { reducedMotion: 'no-preference' } as const;
    const held: (() => Promise<void>)[] = [];
    const prepare = (page: Page) =>
      page.route('**/countries-*', (route) => void held.push(() => route.continue())).then(() => {});
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points', prepare, ...moving });
    const come = async () => {
      await page.getByRole('link', { name: 'Map', exact: true }).click();
      await visible(page).getByRole('option').first().waitFor();
      await page.locator('.leaflet-map-pane').waitFor({ state: 'attached' });
    };
    // All in one turn of the page, which no hand is quick enough for every time; resolves when Leaflet has let go.
    const leave = (zoom: string) =>
      page.evaluate(`new Promise((left) => {
        const map = document.querySelector('.fleet-map');
        const pane = map.querySelector('.leaflet-map-pane');
        const go = () => [...document.querySelectorAll('a')].find(({ pathname }) => pathname === '/agents').click();
        ${zoom}
        const look = () => (map.isConnected || map.contains(pane) ? requestAnimationFrame(look) : left());
        look();
      })`);
    await come();
    // Of a town that it knows at once the map needs no countries: it is zoomed out until it asks for them.
    const zoomOut = () =>
      page.evaluate(`document.querySelector('.fleet-map').dispatchEvent(
        new WheelEvent('wheel', { deltaY: 600, clientX: 700, clientY: 400, bubbles: true }))`);
    await eventually(
      async () => {
        if (held.length === 0) await zoomOut();
        return held.length;
      },
      (count) => count > 0,
    );
    await leave(`
      map.dispatchEvent(new WheelEvent('wheel', { deltaY: -200, clientX: 700, clientY: 400, bubbles: true }));
      go();`);
    await Promise.all(held.splice(0).map((go) => go()));
    await page.unroute('**/countries-*');
    await come();
    await page.locator('.map-scale').waitFor();
    if (!isLong) return;
    // A map that has just come may not be ready for the first press.
    await leave(`
      const press = () => document.querySelector('.map-buttons button')?.click();
      const pressing = setInterval(press, 200);
      const zoomed = () => { clearInterval(pressing); go(); };
      new MutationObserver(zoomed).observe(pane, { attributeFilter: ['class'] });
      press();`);
    await come();
    await page.locator('.map-scale').waitFor();
  });

  test('holds thousands of access points', async () => {
    const count = isLong ? 6000 : 600;
    const weft = await serve();
    await weft.createAdmin();
    const prepare = (page: Page) => routeFleet(page, imagineFleet(count));
    const { page } = await visitSignedIn(weft, { path: '/map', title: 'Map', prepare });
    await page.getByText(new RegExp(`of ${count}$`)).waitFor();
    await page.getByText(/more: zoom in/).waitFor();
    const zoom = () => Number(new URL(page.url()).searchParams.get('view')?.split(',')[2] ?? 0);
    await expect.poll(zoom).toBeGreaterThan(0);
    const all = zoom();
    expect(await visible(page).getByRole('option').count()).toBe(200);
    await page.getByLabel('Search by name or site').fill('ap-00599');
    await page.getByText('1 of 1').waitFor();
    // The map goes to what is left, and back.
    await expect.poll(zoom).toBeGreaterThan(all + 3);
    await page.getByLabel('Search by name or site').fill('');
    await expect.poll(zoom).toBe(all);
    await page.getByLabel('State').selectOption('late');
    await page.getByText(new RegExp(`of ${count / 6}$`)).waitFor();
  });
});
