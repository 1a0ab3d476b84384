// A phone with two links: a download over both, and an app that says which one it uses.
import { expect, test } from 'vitest';
import { App } from '../../sdk/src/index.ts';
import type { LabNetwork } from './lab-network.ts';
import { show, tellLogsIfFailed } from './telling.ts';

type Test = (wifi: number, cell: number) => boolean;
const both: Test = (wifi, cell) => wifi > 0.3 && cell > 0.3;
const cellOnly = {
  mode: 'active_standby',
  primary: 'cell0',
  isSo: ((wifi, cell) => wifi < 0.05 && cell > 0.3) as Test,
};
const wifiOnly = {
  mode: 'active_standby',
  primary: 'wlan4',
  isSo: ((wifi, cell) => wifi > 0.3 && cell < 0.05) as Test,
};
const balanced = { mode: 'load_balancing', isSo: both };
const switches = [cellOnly, wifiOnly, cellOnly, wifiOnly, balanced];
const undisturbedTimes = 3;
const reportsOfOne = 3;

const rates = (lab: LabNetwork, isSo: Test) =>
  lab.untilLatest('phone-1', (all) => isSo(all.subflow_rx_mbps_wlan4 ?? 0, all.subflow_rx_mbps_cell0 ?? 0));

/** Its agent; its network and its download are there. */
export async function enrolPhone(lab: LabNetwork): Promise<void> {
  await lab.enrol('phone', 'phone-1', ['--link', '--interval', '1', '--allow', 'set_link_policy']);
  await rates(lab, both);
}

export function testLinks(labOf: () => LabNetwork): void {
  test('an app changes which link a download of a phone uses', async () => {
    const lab = labOf();
    tellLogsIfFailed(lab);
    const api_key = 'a key that is long enough for the lab';
    const permissions = { agents: ['phone-1'] };
    await lab.request('POST', '/api/v1/third_party_apps', { app_name: 'link-app', api_key, permissions });
    const app = new App({ url: lab.url, name: 'link-app', key: api_key });
    const undisturbed: number[] = [];
    for (let time = 0; time < undisturbedTimes; time++) {
      undisturbed.push(await lab.longestPause(() => lab.untilReports('phone-1', reportsOfOne)));
    }
    const switched: number[] = [];
    for (const { isSo, ...policy } of switches) {
      const pause = await lab.longestPause(async () => {
        expect(await lab.command('phone-1', 'set_link_policy', policy, app)).toMatchObject({
          state: 'succeeded',
          applied: policy,
        });
        await rates(lab, isSo);
      });
      switched.push(pause);
    }
    await expect(app.command('phone-1', 'set_link_policy', { mode: 'redundant' })).rejects.toMatchObject({
      status: 422,
    });
    // It is the same connection still.
    expect((await lab.guest.run('cat /mnt/log/fetch.log')).trim()).toBe('');
    await lab.lab('end_phone');
    show('One download over WiFi and "5G" (a shaped cable): the longest pauses, in ms', [
      `undisturbed, ${reportsOfOne} reports each: ${undisturbed.join(', ')}`,
      ...switches.map(({ mode, ...more }, at) => `${mode} ${'primary' in more ? more.primary : ''}: ${switched[at]}`),
    ]);
    const listed = await lab.app.select('').toArray();
    expect(listed.map(({ ap_id }) => ap_id)).not.toContain('phone-1');
  });
}
