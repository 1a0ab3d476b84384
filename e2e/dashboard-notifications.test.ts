// Notifications in a real browser: a webhook is created, tested and its deliveries read; a recipient of e-mails is told what
// is missing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';

test.skipIf(!hasBrowser)('people and programs are told: created, tested, and every attempt is shown', async () => {
  const heard: string[] = [];
  const receiver = createServer((request, response) => {
    heard.push(request.url ?? '');
    response.writeHead(request.url === '/broken' ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await once(receiver, 'listening');
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const weft = await serve({ env: { WEFT_WEBHOOK_ALLOW: '127.0.0.0/8' } });
  await weft.createAdmin();
  const { page } = await visitSignedIn(weft, { path: '/notifications?view=webhooks', title: 'Notifications' });
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByLabel('Name').fill('pager');
  // The keyboard of a phone leaves names and addresses as they are typed.
  for (const field of await page.getByRole('dialog').getByRole('textbox').all()) {
    expect(await field.getAttribute('autocapitalize')).toBe('none');
  }
  await page.getByLabel('Address', { exact: true }).fill('ftp://nowhere');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByLabel('Address', { exact: true }).fill(`${origin}/hook`);
  await page.getByRole('textbox', { name: 'Events' }).fill('node.*');
  await expectFitting(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is shown only now. Copy it.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Send a test to pager' }).click();
  await page.getByText('Test sent to pager').waitFor();
  expect(heard).toEqual(['/hook']);
  await page.getByRole('button', { name: 'Deliveries to pager' }).click();
  const deliveries = page.getByRole('dialog', { name: 'Deliveries to pager' });
  await deliveries.getByText('delivered').first().waitFor();
  await expectFitting(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Edit pager' }).click();
  await page.getByLabel('Address', { exact: true }).fill(`${origin}/broken`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('pager saved').last().waitFor();
  await page.getByRole('button', { name: 'Send a test to pager' }).click();
  await page.getByText('The test to pager failed').waitFor();
  await page.getByRole('button', { name: 'Delete pager?' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();

  // What a setting does not allow is said before anybody fills in a form.
  await expect.poll(() => page.getByText(/may not send anywhere/).count()).toBe(0);
  await page.getByRole('link', { name: 'E-mail' }).click();
  const limits = page.getByRole('status').filter({ hasText: 'WEFT_' });
  await limits.getByText('No mail server is set').waitFor();
  await limits.getByText(/WEFT_SMTP_URL/).waitFor();
  await page.getByRole('button', { name: 'New recipient' }).click();
  await page.getByLabel('Name').fill('Night shift');
  await page.getByLabel('E-mail address').fill('night@example.org');
  await page.getByLabel('Critical').uncheck();
  await page.getByLabel('Major').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Choose at least one severity').waitFor();
  await page.getByLabel('Critical').check();
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByLabel('Quiet until').fill('06:00');
  await expectFitting(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/night@example.org · Critical · .*22:00–06:00/).waitFor();
});
