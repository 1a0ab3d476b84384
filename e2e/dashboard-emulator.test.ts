// Emulated networks in a real browser: started with one press or by a form, watched, hurt, asked what would be, stopped.
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { eventually } from './weft-process.ts';

describe.skipIf(!hasBrowser)('the emulator in the dashboard', () => {
  test('one press starts a network; it is watched, hurt, asked what would be, and stopped', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const { page, requests } = await visitSignedIn(weft, { path: '/emulator', title: 'Emulator' });
    await page.getByText('No emulated networks yet').waitFor();
    await page.getByRole('button', { name: 'Start 12 access points in Bristol' }).click();
    await heading(page, 'Emulated network');
    await page.getByText('Running', { exact: true }).waitFor();
    const { body } = await weft.request('GET', '/api/v1/emulator', { token });
    const [{ job_number }] = body;
    await expect.poll(() => page.url()).toBe(`${weft.url}/emulator/${job_number}`);
    await page.getByRole('row', { name: /5g-(.*-)?1 Online/ }).waitFor();
    const counter = page.locator('.stat-card').filter({ hasText: 'Online' });
    await eventually(
      () => counter.textContent(),
      (words) => /^Online12/.test(words ?? ''),
    );
    await page.getByRole('link', { name: 'Show all messages' }).waitFor();

    // What the server says about a fault stands beside its field.
    const fault = page.getByRole('form', { name: 'Fault' });
    await fault.getByLabel('Access point').selectOption({ index: 1 });
    await fault.getByLabel('Type').selectOption('late_samples');
    await fault.getByLabel('Seconds late').fill('99999');
    await fault.getByRole('button', { name: 'Inject fault' }).click();
    await fault.getByText(/must be 1 to 3600/).waitFor();
    await expect.poll(() => fault.getByLabel('Seconds late').inputValue()).toBe('99999');
    await fault.getByLabel('Seconds late').fill('5');
    await fault.getByRole('button', { name: 'Inject fault' }).click();
    await page
      .getByText(/^Late samples at /)
      .first()
      .waitFor();
    await page
      .getByRole('list', { name: 'Active faults' })
      .getByText(/until .+ \(model time\)$/)
      .waitFor();

    // Its access points, and no others.
    await page.getByRole('link', { name: 'Commands and what-if' }).click();
    await page.getByText(/^0 of 12 selected/).waitFor();
    await page.getByRole('checkbox', { name: /5g-(.*-)?1$/ }).check();
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByLabel('Command', { exact: true }).selectOption('sleep');
    await form.getByRole('button', { name: 'What if' }).click();
    await form.getByRole('button', { name: 'Show everything' }).click();
    const ask = page.getByRole('form', { name: 'What-if analysis' });
    await ask.getByLabel('Minutes').fill('61');
    await ask.getByRole('button', { name: 'Run analysis' }).click();
    await ask.getByText(/Enter 60 or less/).waitFor();
    await ask.getByLabel('Minutes').fill('2');
    await ask.getByRole('button', { name: 'Run analysis' }).click();
    await page.getByRole('heading', { name: /^After 2/ }).waitFor();
    await page.getByText('succeeded, full effect after 5').waitFor();
    const whole = page.getByRole('dialog', { name: 'What-if analysis' });
    await whole.getByText('Mean of 8 futures; in brackets what nine of ten are between.').waitFor();
    // The form in the dialog alone was submitted, not the one that it belongs to.
    expect(requests.filter(({ url }) => url.endsWith('/what_if')).length).toBe(3);
    await page.getByRole('heading', { name: 'Who takes over' }).waitFor();
    // Where its devices go is told, and drawn with arrows of their number.
    await whole.getByText(/^Devices of \S*5g-(.*-)?1: \d.* (go to|find no)/).waitFor();
    await whole.getByRole('img', { name: 'Map of the devices that would move' }).locator('canvas').first().waitFor();
    const changes = page.getByRole('region', { name: 'Largest changes' });
    await changes.getByRole('row').filter({ hasText: '5g-' }).first().waitFor();
    await expectFitting(page);
    await whole.getByRole('button', { name: 'Close' }).click();

    await follow(page, `/emulator/${job_number}`);
    await heading(page, 'Emulated network');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop this network?' });
    await dialog.getByText(/Its 12.access points go offline/).waitFor();
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    expect((await weft.request('GET', `/api/v1/emulator/${job_number}`, { token })).body.state).toBe('cancelled');

    await follow(page, '/emulator?whose=all');
    await page.getByRole('row', { name: /4 5G.*4 WiFi.*4 LiFi.*Stopped/ }).click();
    await heading(page, 'Emulated network');
    await follow(page, '/emulator/no-such-run');
    await page.getByText('Network not found').waitFor();
  });

  test('a network of one’s own: described in words, errors beside the fields, then as it was typed', async () => {
    const weft = await serve();
    const token = await weft.createAdmin();
    const { page } = await visitSignedIn(weft, { path: '/emulator', title: 'Emulator' });
    await page.getByRole('link', { name: 'Design a network' }).click();
    await heading(page, 'New network');
    await page.getByText(/^12.access points in Bristol with 120.devices for 1.h, in real time\.$/).waitFor();
    const group = (name: string) => page.getByRole('group', { name, exact: true });
    await group('5G').getByLabel('Number').fill('2');
    await group('WiFi').getByLabel('Number').fill('0');
    await group('LiFi').getByLabel('Devices each').fill('some');
    await page.getByLabel('Cities or coordinates').fill('Brstol');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Start network' }).click();
    await group('LiFi')
      .getByText(/Enter a whole number/)
      .waitFor();
    await eventually(
      () => page.evaluate('document.activeElement.name'),
      (name) => name === 'LiFi.num_devices',
    );
    await group('LiFi').getByLabel('Devices each').fill('3');
    await page.getByRole('button', { name: 'Add a fault' }).click();
    await group('Fault 1').getByLabel('Access point').fill('2');
    await page.getByRole('button', { name: 'Start network' }).click();
    await page.getByText('“Brstol” should be coordinates or the name of a known place').waitFor();
    await page.getByRole('button', { name: 'Remove Brstol' }).click();

    // A place from the map, by keyboard: its middle.
    await page.getByRole('button', { name: 'Choose on the map' }).click();
    await page.getByRole('application').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Remove -?\d+\.\d+, -?\d+\.\d+$/ }).waitFor();
    await page.getByLabel('Mb/s of one device', { exact: true }).fill('2000');
    await page.getByText('What devices do').click();
    await page.getByLabel('Video').fill('3');
    await page.getByRole('button', { name: 'Start network' }).click();
    await page.getByText(/Enter 1,?000 or less/).waitFor();
    await page.getByLabel('Mb/s of one device', { exact: true }).fill('2');
    await page.getByLabel('Links at once').selectOption('several: load balancing');
    await page.getByRole('group', { name: 'Weights of the links' }).getByLabel('LiFi').fill('3');
    await page.getByLabel('Share of the devices').fill('0.5');
    await page.getByLabel('Speed').fill('60');
    await page.getByText(/60 times faster than real time: it takes 1.min\. Planned: 1.fault\.$/).waitFor();
    await page.getByText('Show as curl command').click();
    const line = (await page.getByRole('region', { name: 'Show as curl command' }).textContent()) ?? '';
    expect(JSON.parse(/-d '(.*)'$/s.exec(line)![1]!)).toMatchObject({
      emulators: [
        { num_access_points: 2, mbps_per_device: 2, mix: { video: 3 } },
        { access_point_type: 'LiFi', num_devices: 3, link_policy: { weights: { LiFi: 3 }, share: 0.5 } },
      ],
      speed: 60,
      faults: [{ access_point: 2, kind: 'crash' }],
    });
    expect(line).not.toContain('eyJ');
    await expectFitting(page);
    await page.getByRole('button', { name: 'Start network' }).click();
    await heading(page, 'Emulated network');
    await page.getByText('“Bristol” was found as Bristol, GB').waitFor();
    const { body } = await weft.request('GET', '/api/v1/emulator', { token });
    expect(body).toMatchObject([{ access_points: 6, by_type: { '5G': 2, LiFi: 4 }, speed: 60, duration: 3600 }]);
  });
});
