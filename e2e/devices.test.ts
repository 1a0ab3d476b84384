// Devices and a real server: no address of one is found anywhere it should not be, and what was answered survives a SIGKILL.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { expect, test } from 'vitest';
import { password, runWeft, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

/** However somebody might write it down. */
function spellings(address: string): string[] {
  const digits = address.replaceAll(':', '');
  const forms = [address, address.replaceAll(':', '-'), digits, encodeURIComponent(address)];
  return forms.flatMap((form) => [form.toLowerCase(), form.toUpperCase()]);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function unpacked(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file).pipe(createZstdDecompress())) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

const planted = '02:c0:ff:ee:5e:01';
const subscriber = '001010987654321';
const identities = [...spellings(planted), subscriber];
const foundIn = (text: string) => identities.filter((spelling) => text.includes(spelling));

test('a planted address is in no file, log, answer, event or backup, and no join, leave or move is lost', async () => {
  const folder = temporaryFolder();
  const env = { WEFT_LOG_LEVEL: 'trace' };
  let weft = await serve({ folder, env });
  const admin = await weft.createAdmin();
  const answers: string[] = [];
  const ask = async (server: WeftServer, method: string, path: string, token = admin, json?: unknown) => {
    const answer = await server.request(method, path, { token, json });
    answers.push(JSON.stringify([answer.body, ...answer.headers]));
    return answer;
  };
  const agents: Record<string, string> = {};
  for (const ap_id of ['ap-1', 'ap-2']) {
    await ask(weft, 'POST', '/api/v1/agents/', admin, { ap_id, password, configuration: {} });
    agents[ap_id] = (await weft.login(ap_id, password, 'agent')).body.access_token;
  }
  const report = (ap_id: string, json: object) =>
    ask(weft, 'POST', '/api/v1/agent_update/update', agents[ap_id], { load: 1, ...json });

  // Every way in.
  expect((await report('ap-1', { devices: [{ device: planted, rssi_dbm: -50 }, { device: subscriber }] })).status).toBe(
    200,
  );
  await report('ap-2', { samples: [{ load: 2, devices: [{ device: planted.toUpperCase() }] }] });
  await report('ap-1', { devices: [{ device: planted, rssi_dbm: 'x' }, { device: planted }, { mac: planted }] });
  const { items } = (await ask(weft, 'GET', '/api/v1/agents/ap-1/devices')).body;
  const device: string = items[0].device;
  await ask(weft, 'POST', `/api/v1/devices/${device}/watch`, admin, {});
  await report('ap-1', { devices: [{ device: planted, rssi_dbm: -51 }] });
  for (const text of [planted, planted.toUpperCase(), planted.replaceAll(':', '-'), subscriber]) {
    for (const path of [
      `/api/v1/devices/${text}`,
      `/api/v1/devices?search=${text}`,
      `/api/v1/devices/${text}/history`,
    ]) {
      expect((await ask(weft, 'GET', path)).status).toBe(422);
    }
    const command = encodeURIComponent(JSON.stringify({ name: 'steer_device', device: text, target: 'ap-2' }));
    expect((await ask(weft, 'POST', `/api/v1/send_command?agent_id=ap-1&command=${command}`)).status).toBe(422);
  }
  // What an access point gets and says about it.
  const command = encodeURIComponent(JSON.stringify({ name: 'steer_device', device, target: 'ap-2' }));
  const { command_id, job_number } = (await ask(weft, 'POST', `/api/v1/send_command?agent_id=ap-1&command=${command}`))
    .body;
  const taken = await weft.request('GET', '/api/v1/agents/ap-1/commands?wait=5', { token: agents['ap-1'] });
  expect(JSON.stringify(taken.body)).toContain(planted);
  await ask(weft, 'POST', `/api/v1/agents/ap-1/commands/${command_id}`, agents['ap-1'], {
    state: 'failed',
    result: { answer: 'refused', detail: `station ${planted.toUpperCase()} refused`, [planted]: [planted] },
    applied: { device: planted },
  });
  for (const path of [
    '/api/v1/devices',
    `/api/v1/devices/${device}`,
    `/api/v1/devices/${device}/history`,
    `/api/v1/commands/${command_id}`,
    `/api/v1/jobs/${job_number}`,
    '/api/v1/events?limit=500',
    '/api/v1/audit?limit=500',
    '/api/v1/agents/ap-1',
    '/metrics',
  ]) {
    await ask(weft, 'GET', path);
  }
  expect((await runWeft(['backup', 'saved'], { folder })).code).toBe(0);

  // What is answered from here on must be there after the kill.
  await report('ap-1', { devices: [{ device: 'stays' }, { device: 'goes' }] });
  await report('ap-1', { devices: [{ device: 'stays' }] });
  await report('ap-2', { devices: [{ device: 'goes' }, { device: 'comes' }] });
  const attached = async () => {
    const found: Record<string, string[]> = {};
    for (const ap_id of ['ap-1', 'ap-2']) {
      const { body } = await ask(weft, 'GET', `/api/v1/agents/${ap_id}/devices`);
      found[ap_id] = body.items.map((each: { device: string }) => each.device);
    }
    return found;
  };
  const before = await attached();
  expect(Object.values(before).map((names) => names.length)).toEqual([1, 2]);
  const logged = weft.out + weft.err;
  await weft.end('SIGKILL');
  weft = await serve({ folder, env });
  expect(await attached()).toEqual(before);
  const { items: moves } = (await ask(weft, 'GET', '/api/v1/events?kinds=device.moved&limit=10')).body;
  expect(moves[0]).toMatchObject({ ap_id: 'ap-2', data: { from: 'ap-1' } });

  expect(foundIn(answers.join('\n'))).toEqual([]);
  expect(foundIn(logged + weft.out + weft.err)).toEqual([]);
  const files = filesIn(folder);
  expect(files.some((file) => file.endsWith('weft.db'))).toBe(true);
  for (const file of files) expect([file, foundIn(readFileSync(file, 'latin1'))]).toEqual([file, []]);
  const backup = await unpacked(join(folder, 'saved'));
  expect(backup).toContain(device);
  expect(foundIn(backup)).toEqual([]);
  // The key that would help to guess addresses is the owner's alone, and in no backup.
  const [key] = files.filter((file) => file.endsWith('device-key'));
  expect(statSync(key!).mode & 0o777).toBe(0o600);
  expect(backup).not.toContain(readFileSync(key!, 'utf8').trim());
  await weft.end();
});
