// The way from rows to the broker when something is in the way; the good days are in job-routes.contract.test.ts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import type { Caller } from '../../base/caller.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { CallbackTokens } from './callback-tokens.ts';
import { JobOutbox } from './job-outbox.ts';

const ada: Caller = { kind: 'user', id: 'id of ada', name: 'ada@weft.test', roles: ['user'], isAdmin: false };
let server: JobServer;

beforeEach(async () => {
  server = await startJobServer();
});
afterEach(() => server.stop());

const comesOut = (job_number: string, times = 1) =>
  untilSo(() => expect(server.published.filter((message) => message.job_number === job_number)).toHaveLength(times));

describe('the outbox', () => {
  it('publishes what a process left behind that died between row and broker', async () => {
    server.outside.brokerIsAway = true;
    const job_number = await server.ask();
    server.outside.brokerIsAway = false;
    await server.outbox.sweep();
    expect(await server.store.countUnpublished()).toBe(1);
    server.outside.aheadMs = 3000;
    await server.outbox.sweep();
    await comesOut(job_number);
    expect(await server.store.countUnpublished()).toBe(0);
  });

  it('publishes again what was lost with its queue, but nothing that somebody works on', async () => {
    const [lost, claimed] = [await server.ask(), await server.ask()];
    await comesOut(lost);
    await comesOut(claimed);
    await server.outbox.mark();
    await server.store.claim(claimed, 'worker', Date.now(), 5000);
    server.outbox.queueLost('agent_details');
    await server.outbox.sweep();
    await comesOut(lost, 2);
    server.outbox.queueLost('agent_data');
    await server.outbox.sweep();
    await comesOut(claimed, 1);
  });

  it('does not publish what ended while it waited', async () => {
    server.outside.brokerIsAway = true;
    const job_number = await server.ask();
    await server.jobs.cancel(ada, job_number);
    server.outside.brokerIsAway = false;
    server.outside.aheadMs = 3000;
    await server.outbox.sweep();
    expect(server.published).toEqual([]);
  });

  it('keeps credentials unreadable in the row, and sends them readable', async () => {
    const data = { agents: [{ ap_id: 'emu-1', password: 'a canary' }] };
    const { job_number } = await server.jobs.create(ada, { task_type: 'emulator_spinup', data, isSecret: true });
    expect(JSON.stringify(await server.store.get(job_number))).not.toContain('canary');
    await comesOut(job_number);
    expect(server.published[0]).toMatchObject({ task_type: 'emulator_spinup', data });
  });

  it('ends a job whose data nobody can read any more, and goes on with the others', async () => {
    server.outside.brokerIsAway = true;
    const task = { task_type: 'emulator_spinup', data: {} } as const;
    const [sealed, plain] = [
      await server.jobs.create(ada, { ...task, isSecret: true }),
      await server.jobs.create(ada, task),
    ];
    const keyring = new Keyring(generateSecret());
    const sent: string[] = [];
    const unreadable: string[] = [];
    const outbox = new JobOutbox({
      jobs: server.store,
      broker: {
        publish: async (_queue, _body, { id }) => {
          sent.push(id);
        },
      },
      tokens: new CallbackTokens(keyring),
      keyring,
      onUnreadable: (job_number) => unreadable.push(job_number),
      onChange: () => {},
      now: () => Date.now() + 3000,
    });
    await outbox.sweep();
    expect([unreadable, sent]).toEqual([[sealed.job_number], [plain.job_number]]);
    await outbox.stop();
  });

  it('D9: says once that the broker is away and once that it is back, however many jobs come', async () => {
    server.outside.brokerIsAway = true;
    for (let n = 0; n < 50; n += 1) await server.ask();
    for (let n = 1; n < 4; n += 1) {
      server.outside.aheadMs = n * 6000;
      await server.outbox.sweep();
    }
    expect(server.changes).toHaveLength(1);
    server.outside.brokerIsAway = false;
    server.outside.aheadMs = 30_000;
    await server.outbox.sweep();
    expect(server.changes).toHaveLength(2);
    await untilSo(() => expect(server.published).toHaveLength(50));
  });

  it('lets a kind that is refused hold up no other, and does not try all of it each time', async () => {
    server.outside.brokerIsAway = true;
    for (let n = 0; n < 250; n += 1) await server.jobs.create(ada, { task_type: 'agent_data', data: {} });
    const { job_number } = await server.jobs.create(ada, { task_type: 'emulator_spinup', data: {} });
    const sent: string[] = [];
    let refused = 0;
    let aheadMs = 3000;
    const keyring = new Keyring(generateSecret());
    const outbox = new JobOutbox({
      jobs: server.store,
      broker: {
        publish: async (queue, _body, { id }) => {
          if (queue === 'agent_data') {
            refused += 1;
            throw new Error('full');
          }
          sent.push(id);
        },
      },
      tokens: new CallbackTokens(keyring),
      keyring,
      onUnreadable: () => {},
      onChange: () => {},
      now: () => Date.now() + aheadMs,
    });
    await outbox.sweep();
    expect(sent).toEqual([job_number]);
    // From then on it asks with one of them.
    refused = 0;
    aheadMs = 10_000;
    await outbox.sweep();
    expect(refused).toBe(1);
    await outbox.stop();
  });

  it('gives each message no longer to live than its job has', async () => {
    const lives: (number | undefined)[] = [];
    const keyring = new Keyring(generateSecret());
    const outbox = new JobOutbox({
      jobs: server.store,
      broker: {
        publish: async (_queue, _body, { expiresInMs }) => {
          lives.push(expiresInMs);
        },
      },
      tokens: new CallbackTokens(keyring),
      keyring,
      onUnreadable: () => {},
      onChange: () => {},
      now: () => 1000,
    });
    const job = { job_number: 'a', task_type: 'agent_data', owner_kind: 'user', owner_id: 'ada', data: '{}' } as const;
    outbox.publish({ ...job, expires_at: 5000 });
    outbox.publish({ ...job, expires_at: 500 });
    await outbox.stop();
    expect(lives).toEqual([4000, 1]);
  });
});
