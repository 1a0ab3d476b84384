import { beforeEach, expect, test } from 'vitest';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { NodeLeaseLost } from '../../core/base/storage/node-lease.ts';
import { DeliveryLoop, type DeliveryRunner, LogCursor, type Recipient, underLease } from './delivery-loop.ts';

let recipients: Recipient[];
let lease: { isHeld: boolean };
/** What a round of this recipient does. */
let rounds: Record<string, () => Promise<boolean>>;
let calls: string[];
let errors: string[];
let loop: DeliveryLoop<Recipient, DeliveryRunner<Recipient>>;

beforeEach(() => {
  recipients = ['a', 'b'].map((id) => ({ id, enabled: true, version: 1 }));
  lease = { isHeld: true };
  rounds = {};
  calls = [];
  errors = [];
  loop = new DeliveryLoop({
    what: 'webhooks',
    lease,
    list: async () => recipients,
    createRunner: (recipient) => {
      const name = `${recipient.id}${recipient.version}`;
      calls.push(`create ${name}`);
      return {
        recipient,
        run: async () => {
          calls.push(`run ${name}`);
          return rounds[recipient.id]?.() ?? true;
        },
        stop: async ({ isCutOff }) => void calls.push(`${isCutOff ? 'cut off' : 'stop'} ${name}`),
      };
    },
    onError: (_error, message) => errors.push(message),
  });
});

const look = async () => {
  calls = [];
  await loop.look();
  await loop.settled();
  return calls;
};

test('each recipient that is enabled has a runner, which runs with every look', async () => {
  recipients[1]!.enabled = false;
  expect(await look()).toEqual(['create a1', 'run a1']);
  expect(await look()).toEqual(['run a1']);
});

test('one that was changed, disabled or removed is cut off, and begins anew with what it is now', async () => {
  await look();
  recipients = [{ id: 'a', enabled: true, version: 2 }];
  expect(await look()).toEqual(['cut off a1', 'cut off b1', 'create a2', 'run a2']);
  recipients = [{ id: 'a', enabled: false, version: 2 }];
  expect(await look()).toEqual(['cut off a2']);
});

test('without the lease all are cut off, and nobody is asked who they are', async () => {
  await look();
  lease.isHeld = false;
  recipients = undefined as never;
  expect(await look()).toEqual(['cut off a1', 'cut off b1']);
});

test('one that hangs delays no other, and is not run twice at once', async () => {
  const gate = Promise.withResolvers<boolean>();
  rounds.a = () => gate.promise;
  await loop.look();
  await loop.look();
  await untilSo(() => expect(calls.filter((call) => call.startsWith('run'))).toEqual(['run a1', 'run b1', 'run b1']));
  // Nor is what it was changed to.
  recipients = recipients.map((each) => ({ ...each, version: 2 }));
  await loop.look();
  expect(calls).not.toContain('run a2');
  gate.resolve(true);
  await loop.settled();
  expect(await look()).toEqual(['run a2', 'run b2']);
});

test('one that finds itself changed, or another node at its work, is cut off; after another error it runs again', async () => {
  rounds.a = async () => false;
  rounds.b = () => Promise.reject(new NodeLeaseLost('another node'));
  expect((await look()).slice(-2)).toEqual(['cut off a1', 'cut off b1']);
  expect(errors).toEqual([]);
  rounds = { a: () => Promise.reject(new Error('the database is away')) };
  await look();
  expect(errors).toEqual(['the delivery to webhooks is held up; it will be tried again']);
  expect(await look()).toEqual(['run a1', 'run b1']);
});

test('recipients that cannot be read are told of, and change nothing', async () => {
  await look();
  recipients = Promise.reject(new Error('away')) as never;
  expect(await look()).toEqual([]);
  expect(errors).toEqual(['the delivery to webhooks is held up; it will be tried again']);
});

test('a stop waits for rounds under way, stops every runner, and is the end', async () => {
  const gate = Promise.withResolvers<boolean>();
  rounds.a = async () => {
    await gate.promise;
    calls.push('over');
    return true;
  };
  await loop.look();
  const stopped = loop.stop();
  await new Promise(setImmediate);
  gate.resolve(true);
  await stopped;
  expect(calls.slice(-3)).toEqual(['over', 'stop a1', 'stop b1']);
  expect(await look()).toEqual([]);
});

test('what is written under the lease is not written without it', async () => {
  const database = { transaction: <T>(work: (tx: never) => Promise<T>) => work(undefined as never) };
  const free = { require: async () => {} };
  const taken = { require: () => Promise.reject(new NodeLeaseLost('another node')) };
  expect(await underLease({ database, lease: free }, async () => 'written')).toBe('written');
  await expect(underLease({ database, lease: taken }, async () => expect.unreachable())).rejects.toThrow(NodeLeaseLost);
});

test('a cursor reads page by page to the end of the log, and goes on after it; what is not chosen is passed', async () => {
  const events = Array.from({ length: 5 }, (_, n) => ({ id: n + 1 }) as never as { id: number });
  const log = {
    newest: async () => events.at(-1)!.id,
    read: async ({ after = 0, before = 0, limit }: { after?: number; before?: number; limit: number }) => {
      const page = events.filter(({ id }) => id > after && id < before).slice(0, limit);
      const last = page.at(-1)?.id ?? 0;
      return { events: page, next: last < before - 1 ? last : null };
    },
  };
  const choose = async (page: readonly { id: number }[]) => page.filter(({ id }) => id % 2 === 1);
  const cursor = new LogCursor({ log, position: 1, kinds: ['*'], readAtOnce: 3, choose } as never);
  const taken: { ids: number[]; readUpTo: number }[] = [];
  /** Where the position was when events were taken: if it were past them already, a kill in between would lose them. */
  const next = () => cursor.next((page) => taken.push({ ids: page.map(({ id }) => id), readUpTo: cursor.readUpTo }));
  expect([await next(), cursor.readUpTo]).toEqual([true, 4]);
  expect([await next(), cursor.readUpTo]).toEqual([false, 5]);
  expect(await next()).toBe(false);
  events.push({ id: 6 });
  expect([await next(), cursor.readUpTo]).toEqual([false, 6]);
  expect(taken).toEqual([
    { ids: [3], readUpTo: 1 },
    { ids: [5], readUpTo: 4 },
    { ids: [], readUpTo: 5 },
  ]);
});
