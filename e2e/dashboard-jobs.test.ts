// Jobs in a real browser: asked for, followed while their messages come, read, cancelled.
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from './browser.ts';
import { expectFitting, follow, heading, visitSignedIn } from './signed-in.ts';
import { serve } from './weft-here.ts';
import { password, type Weft } from './weft-process.ts';

interface Site {
  weft: Weft;
  token: string;
  /** As the agent `ap-1`. */
  report: (power_w: number) => Promise<void>;
}

async function siteWithAgent(): Promise<Site> {
  const weft = await serve();
  const token = await weft.createAdmin();
  const json = { ap_id: 'ap-1', password, configuration: { access_point_type: 'WiFi' } };
  expect((await weft.request('POST', '/api/v1/agents/', { token, json })).status).toBe(200);
  const agent = (await weft.login('ap-1', password, 'agent')).body.access_token;
  const report = async (power_w: number) => {
    const { status } = await weft.request('POST', '/api/v1/agent_update/update', { token: agent, json: { power_w } });
    expect(status).toBe(200);
  };
  return { weft, token, report };
}

describe.skipIf(!hasBrowser)('jobs in the dashboard', () => {
  test('an empty list invites; details of all agents come as a message that is read and downloaded; data with an end ahead arrives live over the socket, until it is cancelled', async () => {
    const { weft, token, report } = await siteWithAgent();
    const { page } = await visitSignedIn(weft, { path: '/jobs', title: 'Jobs' });
    await page.getByText('No jobs yet').waitFor();
    await page.getByRole('button', { name: 'Request details' }).click();
    await heading(page, 'Details of all access points');
    await page.getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: /1\s+access point\b/ }).click();
    await page.getByRole('region', { name: 'Message 1 as JSON' }).getByText('"ap_id": "ap-1"').waitFor();

    const code = page.getByRole('region', { name: 'curl' });
    await expect
      .poll(() => code.textContent())
      .toContain(`${weft.url}/api/v1/agent_details/request_all_agents_details`);
    await page.getByRole('button', { name: 'JavaScript' }).click();
    const javascript = (await page.getByRole('region', { name: 'JavaScript' }).textContent()) ?? '';
    expect(javascript).toContain(weft.url.replace('http', 'ws'));
    expect(javascript).not.toContain('eyJ');
    await expectFitting(page);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).data.length)).toEqual([1]);

    // The list knows it too, and keeps its filter in the address.
    await follow(page, '/jobs?state=succeeded');
    await page.getByRole('row', { name: /Details of all access points/ }).waitFor();
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('No jobs match this filter.').waitFor();
    await expect.poll(() => page.url()).toContain('state=failed');
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await page.getByRole('row', { name: /Details of all access points/ }).waitFor();
    await expect.poll(() => page.url()).not.toContain('state=');
    expect((await weft.request('GET', '/api/v1/jobs', { token })).body).toHaveLength(1);

    await follow(page, '/jobs/no-such-job');
    await page.getByText('Job not found').waitFor();

    await report(1);
    await follow(page, '/jobs');
    await page.getByRole('button', { name: 'Request data' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Access point', { exact: true }).fill('nobody');
    await dialog.getByRole('button', { name: 'Live, 10 minutes' }).click();
    await dialog.getByText(/The end time is in the future/).waitFor();
    await dialog.getByRole('button', { name: 'Request data', exact: true }).click();
    await dialog.getByText(/No access point has this name/).waitFor();
    await dialog.getByLabel('Access point', { exact: true }).fill('ap-1');
    await dialog.getByRole('button', { name: 'Request data', exact: true }).click();

    await heading(page, 'Data of an access point');
    await page.getByText('Live: messages arrive over a WebSocket').waitFor();
    await report(2);
    await page.getByRole('button', { name: /^2 Data/ }).waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'curl' }).textContent()).toContain('agent_id=ap-1');

    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click();
    await page.getByText('Job cancelled').waitFor();
    await page.getByText('Complete: no more messages').waitFor();
    await page.getByText('Cancelled by its owner').first().waitFor();
  });

  test('without a socket the messages are asked for', async () => {
    const { weft, token, report } = await siteWithAgent();
    await report(1);
    const now = Date.now();
    const query = new URLSearchParams({
      agent_id: 'ap-1',
      start_time: new Date(now - 60_000).toISOString(),
      end_time: new Date(now + 600_000).toISOString(),
    });
    const asked = await weft.request('POST', `/api/v1/agent_data/request_agent_data?${query}`, { token });
    const { page } = await visitSignedIn(weft, {
      path: `/jobs/${asked.body.job_number}`,
      title: 'Data of an access point',
      prepare: (page) => page.routeWebSocket(/\/api\/v1\/ws\//, (socket) => socket.close({ code: 1011 })),
    });
    await page.getByRole('button', { name: /^1 Data/ }).waitFor();
    await report(2);
    await page.getByRole('button', { name: /^2 Data/ }).waitFor();
  });
});
