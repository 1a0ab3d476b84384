// Commands in a real browser: to one access point and to many, tried dry, sent, refused, cancelled, and read afterwards.
import { describe, expect, test } from 'vitest';
import { hasBrowser, screens } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve, sharedServer } from './weft-here.ts';
import { adminUsername, password, type Weft } from './weft-process.ts';

const power = { name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 20, unit: 'dBm' } } };

/** Two access points that are not there: what is sent to them waits. */
async function withAgents(weft: Weft): Promise<{ weft: Weft; token: string }> {
  const token = await weft.createAdmin();
  for (const [ap_id, commands] of [
    ['ap-1', [power, 'sleep']],
    ['ap-2', [power]],
  ] as const) {
    const json = { ap_id, password, configuration: { access_point_type: 'WiFi', commands } };
    expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  }
  return { weft, token };
}

const siteWithAgents = async () => withAgents(await serve());
const shared = sharedServer(withAgents);

/** Another operator holds the power of `ap-1`. */
async function holdPower(weft: Weft, token: string): Promise<void> {
  const json = { username: 'bob@example.org', password, roles: ['admin'] };
  expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
  const bob = (await weft.login('bob@example.org', password)).body.access_token;
  const query = new URLSearchParams({
    agent_id: 'ap-1',
    command: '{"name":"set_tx_power","dbm":3}',
    hold_seconds: '600',
  });
  // Two commands to one parameter are a second apart.
  const send = () => weft.request('POST', `/api/v1/send_command?${query}`, { token: bob });
  await expect.poll(async () => (await send()).status).toBe(200);
}

describe.skipIf(!hasBrowser)('commands in the dashboard', () => {
  test('one is sent by a form made from what the access point declares, followed, and cancelled; who is in the way of the next is said in a sentence', async () => {
    const { weft, token } = await siteWithAgents();
    const { page } = await visitSignedIn(weft, { path: '/commands', title: 'Commands' });
    await page.getByText('No commands yet').waitFor();
    await page.getByRole('link', { name: 'Send a command' }).click();
    await heading(page, 'Send a command');
    await page.getByRole('checkbox', { name: 'ap-1' }).check();
    await expect.poll(() => page.url()).toBe(`${weft.url}/commands/new?agent=ap-1`);
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByLabel('Command').selectOption('set_tx_power');
    await form.getByLabel('dbm').fill('99');
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Enter 20 or less').waitFor();
    await expect.poll(() => form.getByLabel('dbm').inputValue()).toBe('99');
    await form.getByLabel('dbm').fill('12');
    await form.getByRole('button', { name: 'Dry run' }).click();
    await form.getByText('Dry run: nothing was sent').waitFor();
    await form.getByText('Not leased by others').waitFor();
    expect((await weft.request('GET', '/api/v1/commands', { token })).body).toEqual([]);
    await expectFitting(page);

    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Queued', { exact: true }).waitFor();
    await form.getByRole('link', { name: 'ap-1' }).click();
    await heading(page, 'set_tx_power dbm 12');
    await page.getByText('The agent has not answered yet.').waitFor();
    await page.getByRole('button', { name: 'Cancel command' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel set_tx_power to ap-1?' });
    await dialog.getByRole('button', { name: 'Cancel command' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();

    // The list keeps its filters in the address; a row opens by keyboard.
    await follow(page, '/commands?state=cancelled');
    const row = page.getByRole('row', { name: /set_tx_power dbm 12 ap-1 .*Cancelled/ });
    await row.waitFor();
    await page.getByLabel('State', { exact: true }).selectOption('failed');
    await page.getByText('No commands match these filters.').waitFor();
    await expect.poll(() => page.url()).toContain('state=failed');
    await follow(page, '/commands?agent=ap-1');
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, 'set_tx_power dbm 12');
    await page.getByRole('link', { name: 'Send again' }).click();
    await expect.poll(() => form.getByLabel('dbm').inputValue()).toBe('12');

    // Who is in the way is said in a sentence, for one and for each of many.
    await holdPower(weft, token);
    await form.getByRole('button', { name: 'Send' }).click();
    await form.getByText('Nothing was sent').waitFor();
    await form.getByText(/bob@example\.org holds the lease on tx power of ap-1 until \d\d:\d\d:\d\d/).waitFor();
    await form.getByText(/Try again at \d\d:\d\d:\d\d/).waitFor();
    await form.getByRole('link', { name: 'Show command of bob@example.org' }).click();
    await heading(page, 'set_tx_power dbm 3');
    await page.goBack();
    await heading(page, 'Send a command');

    await page.getByRole('radio', { name: 'By name pattern' }).check();
    await page.getByRole('textbox', { name: 'Pattern' }).fill('ap-*');
    await page.getByText(/matches 2.access points/).waitFor();
    await form.getByRole('button', { name: 'Dry run' }).click();
    await form.getByText('1 rejected, 1 accepted').waitFor();
    await form.getByRole('button', { name: /Send to 2/ }).click();
    await form.getByRole('heading', { name: 'Sent', exact: true }).waitFor();
    await form.getByRole('link', { name: 'ap-2' }).waitFor();
    await expectFitting(page);
    const { body } = await weft.request('GET', '/api/v1/commands?agent=ap-2', { token });
    expect(body).toMatchObject([{ name: 'set_tx_power', args: { dbm: 12 }, caller_name: adminUsername }]);

    await follow(page, '/commands?state=refused');
    const sentence =
      /bob@example\.org holds the lease on tx power of ap-1 until .*; ada@example\.org requested a different value and was rejected/;
    await page.getByText(sentence).first().waitFor();
    await follow(page, '/agents/ap-1');
    const section = page.getByRole('region', { name: 'Commands' });
    await section.getByText(sentence).first().waitFor();
    await section.getByRole('link', { name: 'set_tx_power dbm 3' }).waitFor();
    await section.getByLabel('Command', { exact: true }).selectOption('sleep');
    await section.getByRole('button', { name: 'Send' }).click();
    await page
      .getByRole('dialog', { name: 'Send sleep to ap-1?' })
      .getByRole('button', { name: 'Send the command' })
      .click();
    await section.getByRole('link', { name: 'sleep', exact: true }).waitFor();
  });

  test('what interrupts service is confirmed, with names, and from two on with the number typed', async () => {
    const { weft, token } = await siteWithAgents();
    for (let n = 3; n <= 105; n++) {
      const json = { ap_id: `hall-${n}`, password: 'long enough', configuration: { commands: ['reboot'] } };
      expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
    }
    const { page } = await visitSignedIn(weft, { path: '/agents', title: 'Access points' });
    // All that were chosen in the list are chosen here.
    for (const name of ['ap-1', 'ap-2', 'hall-3']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await page.getByRole('link', { name: 'Send a command' }).click();
    await page.getByText('3 of 105 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    // Those that are shown, not those that are not.
    await page.getByRole('searchbox', { name: 'Filter access points' }).fill('hall');
    await page.getByRole('button', { name: 'Select the 100 shown' }).click();
    await page.getByText('100 of 105 selected').waitFor();
    await page.getByRole('button', { name: 'Clear selection' }).click();
    for (const name of ['hall-3', 'hall-4']) await page.getByRole('checkbox', { name, exact: true }).check();
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByLabel('Command').selectOption('reboot');
    await form.getByRole('button', { name: /Send to 2/ }).click();
    const dialog = page.getByRole('dialog', { name: /Send reboot to 2.access points\?/ });
    await dialog.getByText('hall-3', { exact: true }).waitFor();
    await dialog.getByText('hall-4', { exact: true }).waitFor();
    const send = dialog.getByRole('button', { name: 'Send the command' });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await weft.request('GET', '/api/v1/commands', { token })).body).toEqual([]);
    await form.getByRole('button', { name: /Send to 2/ }).click();
    await dialog.getByRole('textbox').fill('3');
    await expect.poll(() => send.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('2');
    await send.click();
    await form.getByRole('heading', { name: 'Sent', exact: true }).waitFor();
    const { body } = await weft.request('GET', '/api/v1/commands', { token });
    expect(body.map(({ ap_id }: { ap_id: string }) => ap_id).sort()).toEqual(['hall-3', 'hall-4']);
  });

  test('on a phone the outcome is in sight, the list says whom, and jobs of one batch are told apart', async () => {
    const { weft } = await shared();
    const path = '/commands/new?agent=ap-1,ap-2';
    const { page } = await visitSignedIn(weft, { ...screens.phone, path, title: 'Send a command' });
    await page.getByLabel('Command', { exact: true }).selectOption('set_tx_power');
    await page.getByLabel('dbm').fill('12');
    await page.getByRole('button', { name: 'Send' }).click();
    const outcome = page.locator('.outcome .verdicts');
    await outcome.waitFor();
    await expect.poll(async () => (await outcome.boundingBox())!.y).toBeLessThan(screens.phone.viewport.height - 56);
    const rowsOf = async (title: string) => {
      await follow(page, `/${title.toLowerCase()}`);
      await heading(page, title);
      await page.getByRole('row').filter({ hasText: 'ap-2' }).first().waitFor();
      return (await page.getByRole('row').allInnerTexts()).join('\n').replaceAll(/\s+/g, ' ');
    };
    expect(await rowsOf('Commands')).toMatch(/ap- ?1.*ap- ?2|ap- ?2.*ap- ?1/);
    expect(await rowsOf('Jobs')).toMatch(/ap- ?1.*ap- ?2|ap- ?2.*ap- ?1/);
  });

  test('somebody who is no administrator is told whom to ask', async () => {
    const { weft, token } = await shared();
    const json = { username: 'eve@example.org', password, roles: ['user'] };
    expect((await weft.request('POST', '/api/v1/users/', { token, json })).status).toBe(200);
    const { page } = await visitSignedIn(weft, {
      path: '/commands/new?agent=ap-1',
      title: 'Send a command',
      username: 'eve@example.org',
    });
    await page.getByText('For others, ask an administrator.').waitFor();
    const form = page.getByRole('form', { name: 'Send a command' });
    await form.getByText('You may not send commands to this choice.').waitFor();
    await expect.poll(() => form.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await expect.poll(() => form.getByRole('button', { name: 'Dry run' }).isDisabled()).toBe(true);
    await follow(page, '/commands/no-such-command');
    await page.getByText('Command not found').waitFor();
  });
});
