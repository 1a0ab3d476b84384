// Devices and a real server: no address of one is found anywhere it should not be, and what was answered survives a SIGKILL. On
// the embedded backends, and on PostgreSQL with RabbitMQ.
import { randomBytes } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { connect } from 'amqplib';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { TaskType } from '../contract/src/index.ts';
import { databaseKinds } from '../test/databases.ts';
import { shareRabbit } from '../test/rabbitmq.ts';
import { runHere } from './weft-here.ts';
import { eventually, password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

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

interface Scenario {
  folder: string;
  env?: Record<string, string>;
  /** Once Weft runs, before it hears of a device. */
  onStart?: () => Promise<void>;
  /** Once everything was said, before Weft is killed. */
  onPlanted?: () => Promise<void>;
}

/** Whatever people and access points do with addresses, and a kill. Resolves the pseudonym; Weft has ended. */
async function plant({ folder, env: given = {}, onStart, onPlanted }: Scenario): Promise<string> {
  const env = { WEFT_LOG_LEVEL: 'trace', ...given };
  let weft = await serve({ folder, env });
  await onStart?.();
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
  const list = async (ap_id: string, ...names: string[]) => {
    const { status, body } = await report(ap_id, { devices: names.map((device) => ({ device })) });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  const attached = async () => {
    const found: Record<string, string[]> = {};
    for (const ap_id of ['ap-1', 'ap-2']) {
      const { body } = await ask(weft, 'GET', `/api/v1/agents/${ap_id}/devices`);
      found[ap_id] = body.items.map((each: { device: string }) => each.device);
    }
    return found;
  };
  const send = (ap_id: string, device: string, target: string) => {
    const command = encodeURIComponent(JSON.stringify({ name: 'steer_device', device, target }));
    return ask(weft, 'POST', `/api/v1/send_command?agent_id=${ap_id}&command=${command}`);
  };
  /** It may ask for nothing else meanwhile. */
  const take = async (ap_id: string, command_id: string) => {
    const path = `/api/v1/agents/${ap_id}/commands?wait=60`;
    const { body } = await eventually(
      () => weft.request('GET', path, { token: agents[ap_id]! }),
      (answer) => answer.body.length !== 0,
    );
    const taken = JSON.stringify(body);
    expect(taken).toContain(command_id);
    return taken;
  };
  const answer = async (ap_id: string, command_id: string, json: object) => {
    const path = `/api/v1/agents/${ap_id}/commands/${command_id}`;
    const { status, body } = await ask(weft, 'POST', path, agents[ap_id], json);
    expect(status, JSON.stringify(body)).toBe(200);
  };

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
    expect((await send('ap-1', text, 'ap-2')).status).toBe(422);
  }
  // What an access point gets and says about it.
  const { command_id, job_number } = (await send('ap-1', device, 'ap-2')).body;
  expect(await take('ap-1', command_id)).toContain(planted);
  await answer('ap-1', command_id, {
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
  await onPlanted?.();

  // What is answered from here on must be there after the kill.
  await list('ap-1', 'stays', 'goes');
  await list('ap-1', 'stays');
  await list('ap-2', 'goes', 'comes');
  expect(Object.values(await attached()).map((names) => names.length)).toEqual([1, 2]);
  const { items: moves } = (await ask(weft, 'GET', '/api/v1/events?kinds=device.moved&limit=10')).body;
  expect(moves[0]).toMatchObject({ ap_id: 'ap-2', data: { from: 'ap-1' } });
  const goes: string = moves[0].subject;
  const moved = (await send('ap-2', goes, 'ap-1')).body.command_id;
  await take('ap-2', moved);
  await answer('ap-2', moved, { state: 'succeeded', result: { answer: 'accepted' } });
  await list('ap-1', 'stays', 'goes');
  await list('ap-2', 'comes');
  const before = await attached();
  expect(Object.values(before).map((names) => names.length)).toEqual([2, 1]);
  await eventually(
    () => ask(weft, 'GET', `/api/v1/commands/${moved}`),
    ({ body }) => body.state === 'succeeded',
  );
  const logged = weft.out + weft.err;
  await weft.end('SIGKILL');
  weft = await serve({ folder, env });
  await weft.untilStarted();
  expect(await attached()).toEqual(before);
  // One that goes back now was steered before the kill.
  await list('ap-1', 'stays');
  await list('ap-2', 'goes', 'comes');
  await eventually(
    () => ask(weft, 'GET', `/api/v1/devices/${goes}`),
    ({ body }) => body.sticky?.reason === 'moved_back',
  );
  await weft.end();
  expect(foundIn(answers.join('\n'))).toEqual([]);
  expect(foundIn(logged + weft.out + weft.err)).toEqual([]);
  for (const file of filesIn(folder)) expect([file, foundIn(readFileSync(file, 'latin1'))]).toEqual([file, []]);
  return device;
}

test('a planted address is in no file, log, answer, event or backup, and no join, leave or move is lost', async () => {
  const folder = temporaryFolder();
  const device = await plant({
    folder,
    onPlanted: async () => {
      const env = { WEFT_DATA_DIR: join(folder, 'data') };
      expect((await runHere(['backup', join(folder, 'saved')], env)).code).toBe(0);
    },
  });
  const files = filesIn(folder);
  expect(files.some((file) => file.endsWith('weft.db'))).toBe(true);
  const backup = await unpacked(join(folder, 'saved'));
  expect(backup).toContain(device);
  expect(foundIn(backup)).toEqual([]);
  // The key that would help to guess addresses is the owner's alone, and in no backup.
  const [key] = files.filter((file) => file.endsWith('device-key'));
  expect(statSync(key!).mode & 0o777).toBe(0o600);
  expect(backup).not.toContain(readFileSync(key!, 'utf8').trim());
});

const isMissing = [inject('postgresUrl'), inject('amqpUrl')].includes(undefined);

test.skipIf(isMissing)('a planted address is in no table of PostgreSQL and no message of RabbitMQ', async () => {
  const namespace = await databaseKinds.postgres.createNamespace();
  onTestFinished(() => namespace.remove());
  // With a Weft of another test on the same one, each would do jobs of the other.
  const rabbit = await shareRabbit();
  onTestFinished(() => rabbit.stop());
  const messages: string[] = [];
  const device = await plant({
    folder: temporaryFolder(),
    env: {
      WEFT_DATABASE_URL: namespace.address,
      WEFT_AMQP_URL: rabbit.url,
      WEFT_SECRET: randomBytes(48).toString('base64'),
    },
    onStart: () => listen(rabbit.url, messages),
  });
  const tables = await dump(namespace.address);
  expect(tables.filter((rows) => rows.includes(device)).length).toBeGreaterThan(3);
  expect(tables.flatMap(foundIn)).toEqual([]);
  await expect.poll(() => messages.some((message) => message.includes(device))).toBe(true);
  expect(messages.flatMap(foundIn)).toEqual([]);
});

/** A copy of every message that Weft publishes, whatever it is for. */
async function listen(url: string, messages: string[]): Promise<void> {
  const connection = await connect(url);
  onTestFinished(() => connection.close());
  const channel = await connection.createChannel();
  const { queue } = await channel.assertQueue('', { exclusive: true });
  // As Weft declares them: it may not have come to that yet.
  await channel.assertExchange('weft', 'direct', { durable: true });
  for (const task of TaskType.enum) await channel.bindQueue(queue, 'weft', task);
  for (const exchange of ['weft.news', 'weft.dead']) {
    await channel.assertExchange(exchange, 'fanout', { durable: true });
    await channel.bindQueue(queue, exchange, '');
  }
  await channel.consume(
    queue,
    (message) => {
      if (message) messages.push(message.content.toString('latin1') + JSON.stringify(message.properties));
    },
    { noAck: true },
  );
}

/** The rows of each table as text. */
async function dump(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    const texts: string[] = [];
    for (const { table_name } of tables) {
      texts.push(JSON.stringify((await client.query(`SELECT * FROM "${table_name}"`)).rows));
    }
    return texts;
  } finally {
    await client.end();
  }
}
