// Real access points whose power is cut while they are given settings: `weft agent` and weft-agent.sh change channel and network of hostapd,
// QEMU is killed at a step of the switch and started again with the same disk, and afterwards old settings or confirmed ones run, Weft says
// which, and stations are back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labImage } from './image.ts';
import { eventually, LabNetwork } from './lab-network.ts';
import { show, tellLogsIfFailed } from './telling.ts';

const points = [
  {
    ap_id: 'ap-1',
    machine: 'ap1',
    radio: 'wlan0',
    channels: [1, 6],
    journal: '/disk/ap1/state/ap-1/settings-trial.json',
  },
  { ap_id: 'ap-2', machine: 'ap2', radio: 'wlan1', channels: [36, 40], journal: '/disk/ap2/shell/settings-trial' },
] as const;
type Point = (typeof points)[number];
const kept = { 'ap-1': '/disk/ap1/state/ap-1/settings.json', 'ap-2': '/disk/ap2/shell/settings' } as const;

let lab: LabNetwork;
beforeAll(async () => {
  lab = await LabNetwork.start(labImage(), { hasDisk: true });
  const program = await (await fetch(`${lab.url}/install/weft.mjs`)).text();
  writeFileSync(join(lab.guest.folder, 'weft.mjs'), program);
  await lab.lab('set_up_on_disk');
  await lab.guest.run('cp /mnt/weft.mjs /mnt/weft-agent.sh /disk/');
  for (const { ap_id, machine } of points) {
    const { token } = await lab.request<{ token: string }>('POST', '/api/v1/enrolment_tokens', {
      ap_id_pattern: ap_id,
    });
    const allow = machine === 'ap1' ? 'settings:/disk/ap1/hostapd.conf' : 'settings';
    const lines = [`WEFT_URL=${lab.urlInGuest}`, `WEFT_AP_ID=${ap_id}`, `WEFT_ENROLMENT_TOKEN=${token}`];
    writeFileSync(
      join(lab.guest.folder, 'env'),
      [...lines, `WEFT_AGENT_ALLOW=${allow}`, 'WEFT_AGENT_INTERVAL=10', ''].join('\n'),
    );
    await lab.guest.run(`cp /mnt/env /disk/${machine}/agent.env`);
  }
  await lab.guest.run('sync');
  await lab.lab('start_agents_of_disk');
  const declared = async () => {
    const agents = await Promise.all(points.map(({ ap_id }) => lab.app.agent(ap_id).catch(() => undefined)));
    return agents.map((agent) => Object.keys((agent?.configuration.settings as object | undefined) ?? {}));
  };
  await eventually(declared, (found) =>
    found.every((leaves) => leaves.includes('channel') && leaves.includes('networks')),
  );
  for (const { ap_id } of points)
    await lab.app.request('PATCH', `/api/v1/agents/${ap_id}/labels`, { json: { tags: [ap_id] } });
  await lab.app.request('PUT', '/api/v1/config/secrets', { json: { name: 'psk', value: 'weft-lab-1' } });
});
afterAll(async () => {
  await lab?.stop();
});

/** On a busy machine tools of the guest are too slow for an agent, which then refuses and says so: it is given its settings again. */
async function configOf(ap_id: string): Promise<{ state: string; detail: string | null }> {
  const path = `/api/v1/agents/${ap_id}/config`;
  const config = await lab.request<{ state: string; detail: string | null }>('GET', `${path}?view=diff`);
  if (config.state !== 'refused' || !config.detail?.includes('did not end within')) return config;
  process.stdout.write(`Given again to ${ap_id}, after ${config.detail}\n`);
  return lab.request('POST', `${path}/apply`);
}

/** What hostapd says that it serves. */
async function airOf({ radio }: Point): Promise<{ ssid: string; channel: number }> {
  const text = await lab.guest.run(`hostapd_cli -i ${radio} status`);
  return { ssid: /^ssid\[0\]=(.*)$/m.exec(text)?.[1] ?? '', channel: Number(/^channel=(\d+)$/m.exec(text)?.[1]) };
}

async function give(ssid: string, at: 0 | 1, gates: object[] = []): Promise<void> {
  for (const { ap_id, channels } of points) {
    const { items } = await lab.request<{ items: { id: string; name: string }[] }>(
      'GET',
      '/api/v1/config/layers?limit=100',
    );
    const id = items.find(({ name }) => name === ap_id)?.id;
    const settings = { channel: channels[at], networks: [{ ssid, passphrase: { secret: 'psk' } }] };
    const layer = { ...(id && { id }), name: ap_id, selector: `tag:${ap_id}`, weight: 10, settings };
    const draft = { title: `${ssid} for ${ap_id}`, layers: [layer], remove: [] };
    const set = await lab.request<{ id: string }>('POST', '/api/v1/config/change_sets', draft);
    await lab.request('POST', `/api/v1/config/change_sets/${set.id}/rollout`, { failure_limit: { agents: 5 }, gates });
  }
}

/** In the guest, as soon as it is so. */
const untilInGuest = (condition: string) =>
  lab.guest.run(`for _ in $(seq 2000); do if ${condition}; then exit 0; fi; sleep 0.05; done; exit 1`);

const journals = async () =>
  (await lab.guest.run(`ls ${points.map(({ journal }) => journal).join(' ')} 2>&1; true`)).trim();

async function cutAndCheck(
  step: string,
  before: { ssid: string; channel: number }[],
  after: typeof before,
): Promise<void> {
  const states = await Promise.all(points.map(async ({ ap_id }) => (await configOf(ap_id)).state));
  const cutAt = Date.now();
  await lab.guest.cutPower();
  await lab.lab('set_up_on_disk');
  // What it starts with, before the agents do anything.
  const started = await Promise.all(points.map(airOf));
  await lab.lab('start_agents_of_disk');
  const lines: string[] = [];
  for (const [index, point] of points.entries()) {
    const { state, detail } = await eventually(
      () => configOf(point.ap_id),
      (config) => ['in_sync', 'reverted'].includes(config.state),
    );
    const wanted = state === 'in_sync' ? after[index]! : before[index]!;
    expect(
      await eventually(
        () => airOf(point),
        (air) => air.ssid === wanted.ssid && air.channel === wanted.channel,
      ),
    ).toEqual(wanted);
    await eventually(
      () => lab.guest.try(`hostapd_cli -i ${point.radio} list_sta | grep -q 02:`),
      ({ code }) => code === 0,
    );
    lines.push(
      `${point.ap_id}: ${states[index]}, started with ${started[index]!.ssid} on ${started[index]!.channel}, then ${state} (${detail ?? ''})`,
    );
  }
  await eventually(journals, (text) => !text.split('\n').some((line) => line.startsWith('/')));
  show(`Power cut: ${step}; all back after ${Date.now() - cutAt} ms`, lines);
}

test('both agents change channel and network of hostapd, and stations follow', async () => {
  tellLogsIfFailed(lab);
  await give('weft-new', 1);
  for (const point of points) {
    await eventually(
      () => configOf(point.ap_id),
      ({ state }) => state === 'in_sync',
    );
    expect(await airOf(point)).toEqual({ ssid: 'weft-new', channel: point.channels[1] });
    const { machine, radio } = point;
    expect(await lab.guest.run(`cat /disk/${machine}/hostapd.conf; stat -c %a /disk/${machine}/hostapd.conf`)).toMatch(
      new RegExp(`ssid=weft-new[^]*channel=${point.channels[1]}[^]*\n600\n$`),
    );
    await eventually(
      () => lab.guest.try(`hostapd_cli -i ${radio} list_sta | grep -q 02:`),
      ({ code }) => code === 0,
    );
  }
});

const newer = points.map(({ channels }) => ({ ssid: 'weft-new', channel: channels[1] }));
const older = points.map(({ channels }) => ({ ssid: 'weft', channel: channels[0] }));

test('the power is cut while settings are applied', async () => {
  tellLogsIfFailed(lab);
  await give('weft', 0);
  await untilInGuest(points.map(({ journal }) => `[ -e ${journal} ]`).join(' || '));
  await cutAndCheck('while they are applied', newer, older);
});

test('the power is cut during the trial', async () => {
  tellLogsIfFailed(lab);
  const before = await Promise.all(points.map(airOf));
  // No station knows this network, so that nobody is back.
  await give('weft-nobody', 1, [{ devices_back: 1 }]);
  const onTrial = async () => (await Promise.all(points.map(({ ap_id }) => configOf(ap_id)))).map(({ state }) => state);
  await eventually(onTrial, (states) => states.every((state) => state === 'on_trial'));
  await cutAndCheck('during the trial', before, before);
});

test('the power is cut when they are confirmed', async () => {
  tellLogsIfFailed(lab);
  const before = await Promise.all(points.map(airOf));
  const isNew = before[0]!.ssid === 'weft-new';
  await give(isNew ? 'weft' : 'weft-new', isNew ? 0 : 1);
  const ssid = isNew ? 'weft' : 'weft-new';
  // Of those that change: after the cuts before, one may run it already.
  const files = points.filter((_, index) => before[index]!.ssid !== ssid).map(({ ap_id }) => kept[ap_id]);
  await untilInGuest(files.map((file) => `grep -qE '(ssid=|ssid":")${ssid}("|$)' ${file}`).join(' || '));
  await cutAndCheck('when they are confirmed', before, isNew ? older : newer);
});
