// The agent on a WiFi access point, of which the tools are recorded, with a real Weft.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { App } from '../../../sdk/src/index.ts';
import { oneRadio, phyInfo, stations, survey } from '../../../test/pure/iw-recordings.ts';
import { RecordedMachine } from '../../../test/pure/recorded-machine.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../test/weft.ts';
import { runAccessPointAgent } from './access-point-agent.ts';
import { parseAllowance } from './commands/allowance.ts';

let weft: TestWeft;
let app: App;
beforeAll(async () => {
  weft = await startWeft();
  app = new App({ url: weft.url, token: await weft.admin() });
});
afterAll(() => weft.stop());

async function start(ap_id: string, machine: RecordedMachine) {
  const stateDir = mkdtempSync(join(tmpdir(), 'weft-agent-'));
  const stopping = new AbortController();
  const said: string[] = [];
  const { token } = await app.request('POST', '/api/v1/enrolment_tokens', { json: { ap_id_pattern: ap_id } });
  const running = runAccessPointAgent({
    settings: {
      url: weft.url,
      ap_id,
      stateDir,
      intervalSeconds: 1,
      configuration: { site: 'roof' },
      commandsDir: stateDir,
      isLink: false,
      allowance: parseAllowance(['set_tx_power']),
      enrolmentToken: token,
      trustedCertificate: undefined,
    },
    machine,
    say: (text: string) => said.push(text),
    signal: stopping.signal,
  });
  const ended = running.catch((error: Error) => error.message);
  onTestFinished(async () => {
    stopping.abort();
    await ended;
    rmSync(stateDir, { recursive: true });
  });
  await untilSo(() => expect(said.at(-1)).toContain('connected to'));
  return { ended };
}

function withRadio(machine: RecordedMachine): RecordedMachine {
  return machine
    .tool('iw dev', oneRadio)
    .tool('iw phy phy0 info', phyInfo)
    .tool('iw dev wlan0 station dump', stations(0))
    .tool('iw dev wlan0 survey dump', survey(10_000, 2000, 500));
}

test('a WiFi access point is one for Weft, and its power is set through Weft', async () => {
  const machine = withRadio(new RecordedMachine()).tool('iw dev wlan0 set txpower fixed 1700', '');
  await start('wifi-1', machine);
  await untilSo(async () => {
    const [found] = await app.latest({ agents: ['wifi-1'] });
    expect(found!.metrics).toMatchObject({ rssi_dbm: { value: -60 }, channel: { value: 36 } });
  });
  const { configuration } = await app.agent('wifi-1');
  expect(configuration).toMatchObject({
    access_point_type: 'WiFi',
    site: 'roof',
    metrics: { rssi_dbm: { unit: 'dBm' } },
  });
  machine.tool('iw dev', oneRadio.replace('txpower 20.00', 'txpower 16.00'));
  const command = await app.command('wifi-1', 'set_tx_power', { dbm: 17 });
  expect(await command.result()).toMatchObject({ state: 'succeeded', applied: { dbm: 16 } });
  await expect(app.command('wifi-1', 'set_tx_power', { dbm: 24 })).rejects.toMatchObject({ status: 422 });
  await expect(app.command('wifi-1', 'set_channel', { channel: 40 })).rejects.toMatchObject({ status: 422 });
});

test('devices are reported, also by a machine whose tools are slow', async () => {
  const machine = withRadio(new RecordedMachine());
  const { run } = machine;
  // Longer than a measurement waits for one of its readers.
  machine.run = async (command, args) => {
    if (args.includes('station')) await new Promise((resolve) => setTimeout(resolve, 1_100));
    return await run(command, args);
  };
  await start('wifi-3', machine);
  await untilSo(async () => {
    const { items } = await app.request('GET', '/api/v1/agents/wifi-3/devices');
    // In the order of their names, which differ in every installation.
    const signals = items.map(({ links }: { links: { rssi_dbm: number }[] }) => links[0]!.rssi_dbm);
    expect(signals.sort()).toEqual([-50, -70]);
  });
});

test('ends with the reason when another machine has replaced it', async () => {
  const { ended } = await start('wifi-9', new RecordedMachine().file('proc/uptime', '7.0 1\n'));
  await app.request('PUT', '/api/v1/agents/wifi-9', { json: { password: 'of the new machine' } });
  expect(await ended).toContain('This machine was replaced by another one as wifi-9: stop it.');
});

test('a radio that is switched on later is declared then', async () => {
  const machine = new RecordedMachine().file('proc/uptime', '7.0 1\n').tool('iw dev', '');
  await start('Dach 2 屋顶', machine);
  expect((await app.agent('Dach 2 屋顶')).configuration).not.toHaveProperty('access_point_type');
  withRadio(machine);
  await untilSo(async () => {
    const { configuration } = await app.agent('Dach 2 屋顶');
    expect(configuration).toMatchObject({ access_point_type: 'WiFi', site: 'roof', report_interval_seconds: 1 });
    expect(configuration.metrics).toMatchObject({ uptime_seconds: {}, rssi_dbm: { label: 'RSSI', unit: 'dBm' } });
  });
});
