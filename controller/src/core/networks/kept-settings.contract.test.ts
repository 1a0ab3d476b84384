// Emulated access points keep the settings that they have confirmed, as real ones do, whatever becomes of the process that runs them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';

test('a network that is taken over without anything of the process before goes on with what was confirmed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'weft-kept-settings-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  let weft: TestWeft = await startWeft({ WEFT_DATA_DIR: dataDir });
  onTestFinished(() => weft.stop());
  const send = async (method: string, path: string, json?: unknown) => {
    const answer = await weft.request(method, `/api/v1${path}`, {
      token: await weft.admin(),
      ...(json !== undefined && { json }),
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const wifi = {
    access_point_type: 'WiFi',
    num_access_points: 2,
    locations: ['Bristol'],
    num_devices: 1,
    duration: 3600,
  };
  const { agents } = await send('POST', '/emulator/spinup', { emulators: [wifi] });
  const names: string[] = agents.map(({ ap_id }: { ap_id: string }) => ap_id);
  const layers = [{ name: 'quiet', selector: 'name:emu-*', weight: 1, settings: { tx_power_dbm: 11 } }];
  await untilSo(async () =>
    expect((await send('GET', `/agents/${names[1]}/config?view=running`)).settings).toMatchObject({ tx_power_dbm: 20 }),
  );
  await untilSo(async () =>
    expect((await send('GET', `/agents/${names[0]}/config?view=running`)).settings).toMatchObject({ tx_power_dbm: 20 }),
  );
  const { id } = await send('POST', '/config/change_sets', { title: 'quiet', layers });
  const rollout = await send('POST', `/config/change_sets/${id}/rollout`, {});
  await untilSo(async () => expect(await send('GET', `/rollouts/${rollout.id}`)).toMatchObject({ state: 'completed' }));
  const configs = async () => {
    const found = [];
    for (const name of names) found.push(await send('GET', `/agents/${name}/config?view=diff`));
    return found;
  };
  for (const config of await configs()) expect(config).toMatchObject({ state: 'in_sync' });

  await weft.stop();
  // As after a kill before its first save, or on another machine.
  await rm(join(dataDir, 'emulator'), { recursive: true, force: true });
  const stoppedMs = Date.now();
  weft = await startWeft({ WEFT_DATA_DIR: dataDir });
  for (const name of names) {
    await untilSo(async () => {
      const reports = (await weft.rowsOf(name)).filter(({ ts }) => Number(ts) > stoppedMs);
      expect(reports.at(-1)).toMatchObject({ tx_power_dbm: 11 });
      expect(new Set(reports.map(({ tx_power_dbm }) => tx_power_dbm))).not.toContain(20);
    });
  }
  for (const config of await configs()) expect(config).toMatchObject({ state: 'in_sync' });
  const { items } = await send('GET', '/events?kinds=config.drifted,config.reverted&limit=10');
  expect(items).toEqual([]);
});
