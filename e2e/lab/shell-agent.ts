// weft-agent.sh under busybox, in place of the other agent of an access point: it registers, reports and obeys as that one does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../weft-process.ts';
import { eventually, type LabNetwork, type ListedDevice, type Report } from './lab-network.ts';
import { show, tellLogsIfFailed } from './telling.ts';

const allowed = 'set_tx_power,set_channel,steer_device,sleep,wake,reboot';
const ap_id = 'ap-3';
const hour = 3600;

export function testShellAgent(labOf: () => LabNetwork): void {
  const configuration = async () => (await labOf().app.agent(ap_id)).configuration as Record<string, unknown>;
  const commandsOf = async (name: string) => {
    const { commands } = (await labOf().app.agent(name)).configuration as { commands: { name: string }[] };
    return commands.map((command) => command.name).sort();
  };
  const has = (device: string) => (found: ListedDevice[]) => found.some((one) => one.device === device);
  const succeeds = async (name: string, args: Record<string, unknown> = {}): Promise<Report> => {
    const report = await labOf().command(ap_id, name, args);
    expect(report).toMatchObject({ state: 'succeeded' });
    return report;
  };

  test('the agent in shell registers under busybox, and reports metrics and devices', async () => {
    const lab = labOf();
    tellLogsIfFailed(lab);
    // Long before it is steered from there: the access point that it leaves forgets it only after a while.
    await lab.lab('roam 02:00:00:00:00:00 wlan0');
    // In place of the other agent.
    await lab.guest.run('kill $(cat /run/lab/ap1/supervisor.pid); kill $(cat /run/lab/ap1/agent.pid)');
    const { token } = await lab.request<{ token: string }>('POST', '/api/v1/enrolment_tokens', {
      ap_id_pattern: ap_id,
    });
    await lab.guest.run(`curl -fsS ${lab.urlInGuest}/install/weft-agent.sh -o /mnt/weft-agent.sh`);
    expect(lab.guest.read('weft-agent.sh')).toBe(readFileSync(join(root, 'cli/install/weft-agent.sh'), 'utf8'));
    const identity = `WEFT_URL=${lab.urlInGuest} WEFT_AP_ID=${ap_id} WEFT_ENROLMENT_TOKEN=${token}`;
    const settings = `WEFT_AGENT_ALLOW=${allowed} WEFT_AGENT_INTERVAL=5`;
    await lab.guest.run(`${identity} ${settings} sh /mnt/lab.sh start_shell_agent ap1`);
    const devices = await lab.untilDevices(ap_id, has(lab.refusing));
    const [link] = devices.find(({ device }) => device === lab.refusing)!.links.filter((one) => one.ap_id === ap_id);
    expect(link).toMatchObject({ rssi_dbm: expect.any(Number), rx_mbps: expect.any(Number) });
    const metrics = await lab.untilLatest(ap_id, (found) => found.active === 1);
    expect(metrics).toMatchObject({ connected_devices: devices.length, channel_width_mhz: 20 });
    for (const name of ['uptime_seconds', 'load1', 'memory_available_mb', 'tx_power_dbm', 'channel']) {
      expect(metrics[name]).toBeGreaterThan(0);
    }
    const radios = [{ bssid: '02:00:00:00:00:00', channel: metrics.channel }];
    expect(await configuration()).toMatchObject({ access_point_type: 'WiFi', agent: 'weft-agent.sh', radios });
    expect(await commandsOf(ap_id)).toEqual([...(await commandsOf('ap-2')), 'reboot'].sort());
  });

  test('the agent in shell takes commands by long poll', async () => {
    const lab = labOf();
    tellLogsIfFailed(lab);
    expect((await succeeds('identify')).result).toMatchObject({ hostname: 'weft-lab', agent: 'weft-agent.sh' });
    await succeeds('set_report_interval', { seconds: hour });
    await eventually(configuration, ({ report_interval_seconds }) => report_interval_seconds === hour);
    // It reports nothing for an hour now, and obeys none the less.
    expect((await succeeds('set_tx_power', { dbm: 12 })).applied).toEqual({ dbm: 12 });
    await succeeds('set_report_interval', { seconds: 5 });
    await lab.untilLatest(ap_id, ({ tx_power_dbm }) => tx_power_dbm === 12);
    // The last one is in use.
    for (const channel of [6, 6]) {
      expect((await succeeds('set_channel', { channel })).applied).toEqual({ channel });
      await lab.untilLatest(ap_id, (metrics) => metrics.channel === channel);
    }
    // Who missed the announcement comes back by itself.
    await lab.untilDevices(ap_id, has(lab.refusing));
  });

  test('the agent in shell steers', async () => {
    const lab = labOf();
    tellLogsIfFailed(lab);
    const refusal = { outcome: 'refused', status_code: expect.any(Number) };
    expect(await lab.steerRefuser(ap_id)).toMatchObject({ state: 'failed', result: refusal });
    const bringAndSteer = async () => {
      if (!has(lab.moving)(await lab.devicesOf(ap_id))) await lab.lab('roam 02:00:00:00:00:00 wlan0');
      await lab.untilDevices(ap_id, has(lab.moving));
      // Else it would be where it is sent to already.
      await lab.untilDevices('ap-2', (found) => !has(lab.moving)(found));
      return await lab.command(ap_id, 'steer_device', { device: lab.moving, target: 'ap-2', timeout_seconds: 30 });
    };
    const report = await eventually(bringAndSteer, ({ state }) => state === 'succeeded');
    expect(report.result).toMatchObject({ outcome: 'moved' });
    show('hostapd of ap-1: asked by the agent in shell', lab.lines('hostapd-ap1.log', /BSS-TM-RESP/).slice(-2));
  });

  test('the agent in shell sleeps, wakes, reboots, and leaves nothing behind', async () => {
    const lab = labOf();
    tellLogsIfFailed(lab);
    expect((await succeeds('sleep')).result).toEqual({ power_state: 'asleep' });
    await lab.untilLatest(ap_id, ({ active }) => active === 0);
    expect((await succeeds('wake')).result).toEqual({ power_state: 'on' });
    await lab.untilLatest(ap_id, ({ active }) => active === 1);
    show('hostapd of ap-1: asleep and awake', lab.lines('hostapd-ap1.log', /AP-(EN|DIS)ABLED/).slice(-2));
    await succeeds('reboot');
    // The guest only writes down that it was asked to.
    const isAsked = () => lab.guest.try('grep -x reboot /mnt/log/init.log');
    await eventually(isAsked, ({ code }) => code === 0);
    await lab.guest.run('kill $(cat /run/lab/ap1/shell.pid)');
    const left = async () =>
      (await lab.guest.run('ps')).split('\n').filter((line) => /weft-agent\.sh|wlan0 -G/.test(line));
    await eventually(left, ({ length }) => length === 0);
  });
}
