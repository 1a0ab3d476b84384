// The first five minutes in a real browser: an empty network, one button, and a network that lives; registering access
// points; and the overview of a network that is there.
import { describe, expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { eventually, password } from './weft-process.ts';

describe.skipIf(!hasBrowser)('the overview', () => {
  test('leads from an empty network to a cell that sleeps, in a few clicks', async () => {
    const weft = await serve();
    await weft.createAdmin();
    const { page } = await visitSignedIn(weft, { title: 'Overview' });
    await page.getByText('Your network is empty').waitFor();
    await page.getByRole('button', { name: 'Start 12 access points in Bristol' }).click();
    await page.getByText('Access points coming online').or(page.getByText('Your network is live')).first().waitFor();
    await page.getByText('Your network is live').waitFor();
    await page.getByRole('link', { name: /^Online 12 of 12/ }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^(Good|Degraded|Bad)/ })
      .waitFor();
    // Counters climb: devices attach and draw power. There was no yesterday.
    await page.getByRole('link', { name: /^Devices served [1-9].* no data of yesterday/ }).waitFor();
    await page.getByRole('link', { name: /^Power [1-9]/ }).waitFor();
    await page.getByRole('link', { name: /^Availability 100/ }).waitFor();

    // Every figure leads to where it comes from.
    await page.getByRole('link', { name: /^Throughput/ }).click();
    await heading(page, 'Access points');
    await expect.poll(() => page.url()).toBe(`${weft.url}/agents?columns=throughput_mbps&sort=-throughput_mbps`);
    await page.getByRole('columnheader', { name: /^Throughput/ }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Open the map' }).click();
    await heading(page, 'Map');
    await page.goBack();

    const hint = page.getByRole('link', { name: /^Open .*5g-/ });
    const name = ((await hint.textContent()) ?? '').replace('Open ', '');
    await hint.click();
    await heading(page, name);
    await page.getByLabel('Command', { exact: true }).selectOption('sleep');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send the command' }).click();
    await page.getByRole('link', { name: 'sleep', exact: true }).waitFor();

    await follow(page, '/');
    // On the wall: the same in large type, and nothing that leads elsewhere but the way back.
    await page.getByRole('link', { name: 'Wall display' }).click();
    await heading(page, 'Wall display');
    await page.getByRole('navigation').first().waitFor({ state: 'hidden' });
    await page.getByRole('list', { name: 'Alarms by severity' }).getByRole('link', { name: '0 Critical' }).waitFor();
    await page.getByRole('link', { name: 'Leave' }).click();
    await heading(page, 'Overview');
    // The hint survives the reload and goes when it is told to.
    await page.getByRole('button', { name: 'Hide this hint' }).click();
    await page.reload();
    await page.getByRole('link', { name: /^Online 1\d of 12/ }).waitFor();
    await expect.poll(() => page.getByText('Your network is live').count()).toBe(0);
  });

  test('lets somebody without rights start the demo, and says who registers access points', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const json = { username: 'bob@example.org', password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
    const { page } = await visitSignedIn(weft, { title: 'Overview', username: 'bob@example.org' });
    await page.getByText('ask an administrator').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Register an access point' }).count()).toBe(0);
    const start = page.getByRole('button', { name: 'Start 12 access points in Bristol' });
    await expect.poll(() => start.isEnabled()).toBe(true);
    // That it is there for everybody is tested over HTTP, and what follows above.
    if (!isLong) return;
    await start.click();
    await page.getByText('Your network is live').waitFor();
    await follow(page, '/agents');
    await page.getByRole('row', { name: /5g-/ }).first().waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Register an access point' }).count()).toBe(0);
  });

  test('registers an access point by hand, and others by a line to run on them', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const { page } = await visitSignedIn(weft, { title: 'Overview' });
    await page.getByRole('button', { name: 'Register an access point' }).click();
    const dialog = page.getByRole('dialog', { name: 'Register an access point' });
    await dialog.getByLabel('Name').fill('ap/hall');
    await dialog.getByLabel('Password of the agent').fill('short');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await eventually(
      () => page.evaluate('document.querySelectorAll("dialog [aria-invalid=true]").length'),
      (count) => count === 2,
    );
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('ap/hall');
    await dialog.getByLabel('Name').fill('ap-hall');
    await dialog.getByLabel('Password of the agent').fill(password);
    await dialog.getByLabel(/^Location/).fill('Bristol');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await dialog.getByText('Enter latitude and longitude').waitFor();
    await dialog.getByLabel(/^Location/).fill('51.4552, -2.5966');
    await dialog.getByLabel('Type').selectOption('LiFi');
    await dialog.getByRole('button', { name: 'Register' }).click();
    await page.getByText('ap-hall registered').waitFor();
    await page.getByRole('link', { name: /^No report yet 1/ }).waitFor();

    await follow(page, '/agents');
    await page.getByRole('button', { name: 'Register an access point' }).click();
    await dialog.getByRole('radio', { name: 'Several access points' }).click();
    await dialog.getByLabel('Allowed names').fill('ap-roof-*');
    await dialog.getByRole('button', { name: 'Create enrolment command' }).click();
    const line = (await dialog.getByRole('region', { name: 'Enrolment command' }).textContent()) ?? '';
    // On loopback it warns.
    await dialog.getByText('Other machines cannot reach 127.0.0.1').waitFor();
    await expectFitting(page);
    const enrol = /Bearer (\S+)'/.exec(line)?.[1] ?? '';
    expect(line).toContain(`${weft.url}/api/v1/agents/public`);
    const json = JSON.parse(/-d '(.*)'$/s.exec(line)?.[1] ?? '{}');
    expect(json.ap_id).toBe('ap-roof-1');
    expect((await weft.request('POST', '/api/v1/agents/public', { token: enrol, json })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /ap-roof-1/ }).waitFor();
    const { body } = await weft.request('GET', '/api/v1/agents/ap-hall', { token });
    expect(body.configuration).toEqual({
      access_point_type: 'LiFi',
      geolocation: { latitude: 51.4552, longitude: -2.5966 },
    });
  });
});
