// What only the embedded broker can get wrong: the file, its mode, sudden death, what is readable in it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { textOf } from './broker.contract.ts';
import { openSqliteBroker, type SqliteBrokerOptions } from './broker.sqlite.ts';
import { type Broker, type BrokerEvent, type DeadLetter, type Delivery, RejectMessage } from './broker.ts';

const UNAVAILABLE = { name: 'BrokerUnavailable' };
const soon = { timeout: 45_000, interval: 5 };
let folder: string;
let file: string;
let opened: Broker[];
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-broker-'));
  file = join(folder, 'broker.db');
  opened = [];
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map(kill));
  await Promise.all(opened.map((broker) => broker.close()));
  rmSync(folder, { recursive: true, force: true });
});

function open(options: Partial<SqliteBrokerOptions> = {}): Broker {
  const broker = openSqliteBroker({ file, queues: ['work'], deliveryLimit: 3, ...options });
  opened.push(broker);
  return broker;
}

const publish = (broker: Broker, id: string, expiresInMs?: number) =>
  broker.publish('work', Buffer.from(`body of ${id}`), { id, ...(expiresInMs !== undefined && { expiresInMs }) });

async function collect(broker: Broker): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  await broker.consume('work', { prefetch: 5 }, async (delivery) => void deliveries.push(delivery));
  return deliveries;
}

async function collectDeadLetters(broker: Broker): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  await broker.consumeDeadLetters(async (letter) => void letters.push(letter));
  return letters;
}

/** A process that has the broker open and runs this with it; what it prints comes line by line. */
function startChild(script: string): { child: ChildProcess; lines: string[] } {
  const source = resolve(import.meta.dirname, 'broker.sqlite.ts');
  const text = `
    import { openSqliteBroker } from ${JSON.stringify(source)};
    const broker = openSqliteBroker({ file: ${JSON.stringify(file)}, queues: ['work'], deliveryLimit: 3 });
    const publish = (id) => broker.publish('work', Buffer.from('body of ' + id), { id });
    const print = (line) => process.stdout.write(line + '\\n');
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  return { child, lines };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once('close', done));
  child.kill('SIGKILL');
  await ended;
}

test('nothing that was published is lost when the process is killed, and what it had in hand comes back at once', async () => {
  const { child, lines } = startChild(`
    await broker.consume('work', { prefetch: 2 }, async ({ id }) => { print('took ' + id); await new Promise(() => {}); });
    for (let n = 0; ; n++) { await publish('m' + n); print('published m' + n); }`);
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(100), soon);
  await kill(child);
  expect(lines.filter((line) => line.startsWith('took')).sort()).toEqual(['took m0', 'took m1']);
  const published = lines.filter((line) => line.startsWith('published')).map((line) => line.split(' ')[1]);
  const broker = open();
  const deliveries = await collect(broker);
  // The last one may be durable without having been told.
  await vi.waitFor(() => expect(deliveries.length).toBeGreaterThanOrEqual(published.length), soon);
  expect(deliveries.slice(0, published.length).map(({ id }) => id)).toEqual(published);
  expect(deliveries.slice(0, 3).map(({ redeliveries }) => redeliveries)).toEqual([1, 1, 0]);
  expect(textOf(deliveries[0]!)).toBe('body of m0');
});

test('a message that kills its process each time becomes a dead letter', async () => {
  const first = open();
  await publish(first, 'deadly');
  await first.close();
  for (let n = 0; n < 4; n++) {
    const { child, lines } = startChild(`
      await broker.consume('work', { prefetch: 1 }, async ({ redeliveries }) => {
        print(String(redeliveries));
        await new Promise(() => {});
      });`);
    await vi.waitFor(() => expect(lines).toEqual([`${n}`]), soon);
    await kill(child);
  }
  const broker = open();
  const deliveries = await collect(broker);
  const letters = await collectDeadLetters(broker);
  await vi.waitFor(() => expect(letters).toMatchObject([{ id: 'deadly', reason: 'delivery_limit' }]), soon);
  expect(deliveries).toEqual([]);
});

test('the file and its companions are readable by the owner only, even if they were not before', async () => {
  writeFileSync(file, '', { mode: 0o644 });
  await publish(open(), 'a');
  for (const name of readdirSync(folder))
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
});

test('the file is used by one at a time; the next one takes over by itself', async () => {
  const first = open();
  await publish(first, 'a');
  const events: BrokerEvent[] = [];
  const second = open({ onEvent: (event) => events.push(event) });
  await expect(second.check()).rejects.toThrow('is unavailable: database is locked');
  await expect(publish(second, 'b')).rejects.toMatchObject(UNAVAILABLE);
  const deliveries = await collect(second);
  await first.close();
  await vi.waitFor(() => expect(deliveries.map(({ id }) => id)).toEqual(['a']), soon);
  expect(events.map(({ kind }) => kind)).toEqual(['lost', 'connected']);
});

test('a folder that is missing is an outage that passes', async () => {
  file = join(folder, 'later', 'broker.db');
  const broker = open();
  await expect(publish(broker, 'a')).rejects.toMatchObject(UNAVAILABLE);
  await expect(broker.check()).rejects.toThrow('is unavailable');
  expect(await broker.depth('work')).toBeUndefined();
  mkdirSync(join(folder, 'later'));
  await publish(broker, 'a');
  await broker.check();
});

test('a file that is no database, or of a later version, is left alone and told', async () => {
  writeFileSync(file, 'something else entirely, long enough to have a header of its own'.repeat(20));
  const before = readFileSync(file);
  await expect(open().check()).rejects.toThrow('file is not a database');
  await expect(publish(open(), 'a')).rejects.toMatchObject(UNAVAILABLE);
  expect(Buffer.compare(readFileSync(file), before)).toBe(0);
  file = join(folder, 'later.db');
  const later = new DatabaseSync(file);
  later.exec('PRAGMA user_version = 99');
  later.close();
  await expect(open().check()).rejects.toThrow('later version');
});

test('check notices that the file is gone', async () => {
  const broker = open();
  await broker.check();
  rmSync(file);
  await expect(broker.check()).rejects.toThrow('the file is gone');
});

test('what expired while nobody was there becomes a dead letter at the start', async () => {
  const first = open();
  await publish(first, 'a', 1);
  await publish(first, 'b', 3_600_000);
  await first.close();
  const broker = open();
  const letters = await collectDeadLetters(broker);
  await vi.waitFor(() => expect(letters).toMatchObject([{ id: 'a', reason: 'expired' }]), soon);
  expect(await broker.depth('work')).toBe(1);
});

test('the newest dead letters are kept, and no more than a tenth of a queue', async () => {
  const broker = open({ maxLength: 30 });
  const consumer = await broker.consume('work', { prefetch: 1 }, async () => {
    throw new RejectMessage('no');
  });
  for (let n = 0; n < 10; n++) await publish(broker, `m${n}`);
  await vi.waitFor(async () => expect(await broker.depth('work')).toBe(0), soon);
  await consumer.stop();
  const letters = await collectDeadLetters(broker);
  await vi.waitFor(() => expect(letters.map(({ id }) => id)).toEqual(['m7', 'm8', 'm9']), soon);
});

test('a queue holds no more bytes than it may', async () => {
  const broker = open({ maxBytes: 100 });
  await broker.publish('work', Buffer.alloc(60), { id: 'a' });
  await expect(broker.publish('work', Buffer.alloc(60), { id: 'b' })).rejects.toThrow('is full');
  await broker.publish('work', Buffer.alloc(40), { id: 'c' });
});

const seal = (key: string) => ({
  encrypt: (text: string, context: string) => `${key}|${context}|${Buffer.from(text).toString('hex')}`,
  decrypt: (text: string, context: string) => {
    const [usedKey, usedContext, hex] = text.split('|');
    if (usedKey !== key || usedContext !== context) throw new Error('not mine');
    return Buffer.from(hex!, 'hex').toString();
  },
});

test('sealed bodies are not readable in the file, and come out as they went in', async () => {
  const broker = open({ seal: seal('k1') });
  const body = Buffer.from([0, 255, 128, ...Buffer.from('password')]);
  await broker.publish('work', body, { id: 'a' });
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    for (const text of ['password', body.toString('base64')])
      expect([name, bytes.includes(text)]).toEqual([name, false]);
  }
  const deliveries = await collect(broker);
  await vi.waitFor(() => expect(deliveries.length).toBe(1), soon);
  expect(Buffer.compare(deliveries[0]!.body, body)).toBe(0);
});

test('a body sealed with a key that is gone becomes a dead letter without a body; unsealed ones are still read', async () => {
  const plain = open();
  await publish(plain, 'plain');
  await plain.close();
  const before = open({ seal: seal('k1') });
  await publish(before, 'sealed');
  await before.close();
  const broker = open({ seal: seal('k2') });
  const deliveries = await collect(broker);
  const letters = await collectDeadLetters(broker);
  await vi.waitFor(() => expect(letters).toMatchObject([{ id: 'sealed', reason: 'rejected' }]), soon);
  expect(textOf(letters[0]!)).toBe('');
  expect(deliveries.map(({ id }) => id)).toEqual(['plain']);
});
