// The lease on a run, on a real database: who holds it, what it is told, and how answers find their way back.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { newJob } from '../../../../test/pure/stored-records.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { ConflictError, NotFoundError, TryLaterError, ValidationError } from '../base/errors.ts';
import { MailboxService } from '../jobs/mailbox/mailbox-service.ts';
import { MailboxStore } from '../jobs/mailbox/mailbox-store.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import { EmulatorLeaseService } from './emulator-lease-service.ts';
import { EmulatorRequestStore } from './emulator-request-store.ts';
import { RunTurns } from './run-turns.ts';

const never = new AbortController().signal;

async function open(kind: DatabaseKind) {
  const { nodes, remove } = await openTwoNodes(kind);
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const services = nodes.map((db) => {
    const mailboxStore = new MailboxStore(db);
    const mailbox = new MailboxService({ mailbox: mailboxStore, retentionMs: 1000 });
    const leases = new EmulatorLeaseService({
      jobs: new JobStore(db),
      mailbox,
      messages: mailboxStore,
      requests: new EmulatorRequestStore(db),
      runs: { noteModelTime: async () => {} },
      settingsOf: async () => undefined,
      turns: new RunTurns({
        jobs: new JobStore(db),
        isAdministrators: async () => false,
        maxRunning: 4,
        publish: () => {},
        now,
      }),
      lookAgainMs: 20,
      answerWithinMs: 5_000,
      now,
    });
    return { leases, mailbox, mailboxStore };
  });
  const jobs = new JobStore(nodes[0]);
  await jobs.create(newJob('job-1', { task_type: 'emulator_spinup', expires_at: Date.now() + 1e9 }));
  return {
    a: services[0]!,
    b: services[1]!,
    jobs,
    pass: (ms: number) => {
      aheadMs += ms;
    },
    remove: async () => {
      for (const { leases } of services) leases.stop();
      await remove();
    },
  };
}

eachDatabase((kind) => {
  let setup: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    setup = await open(kind);
  });
  afterEach(() => setup.remove());

  const lease = (holder: string, more: object = {}, node = setup.a) =>
    node.leases.lease('job-1', { holder, ...more }, never);
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'fine',
      (error) => error.code as string,
    );

  describe('a lease', () => {
    it('makes one process run the network, until it is given back or runs out', async () => {
      expect(await lease('one')).toMatchObject({ lease_seconds: 30, last_chunk: 0, requests: [] });
      expect((await setup.jobs.get('job-1'))?.state).toBe('running');
      expect(await codeOf(lease('two', {}, setup.b))).toBe('lease_held');
      setup.pass(20_000);
      await lease('one');
      setup.pass(20_000);
      expect(await codeOf(lease('two', {}, setup.b))).toBe('lease_held');
      setup.pass(31_000);
      expect(await codeOf(lease('two', {}, setup.b))).toBe('fine');
      expect(await codeOf(lease('one'))).toBe('lease_held');
      await lease('two', { release: true }, setup.b);
      expect(await codeOf(lease('one'))).toBe('fine');
    });

    it('counts attempts and not renewals, and gives up on what brings everybody down', async () => {
      for (let n = 0; n < 20; n++) await lease('one');
      for (let n = 0; n < 4; n++) {
        setup.pass(31_000);
        await lease(`other-${n}`);
      }
      setup.pass(31_000);
      expect(await codeOf(lease('last'))).toBe('job_ended');
      expect(await setup.jobs.get('job-1')).toMatchObject({ state: 'failed', detail: 'Given up after 5 attempts' });
    });

    it('ends with the job, at once for those who wait', async () => {
      await lease('one');
      const waiting = codeOf(lease('one', { wait: 30 }));
      await setup.a.mailbox.end('job-1', 'cancelled', 'Stopped');
      setup.a.leases.changed('job-1');
      expect(await waiting).toBe('job_ended');
      expect(await codeOf(setup.a.leases.lease('job-9', { holder: 'one' }, never))).toBe('job_not_found');
    });

    it('tells where the chunks stand', async () => {
      await setup.a.mailboxStore.append({ job_number: 'job-1', type: 'emulator', data: '[{}]', ts: 1, chunk: 7 });
      expect((await lease('one')).last_chunk).toBe(7);
    });
  });

  describe('a request', () => {
    const taken = async (node = setup.b) => {
      const { requests } = await lease('one', { wait: 5 }, node);
      expect(requests).toHaveLength(1);
      return requests[0]!;
    };

    it('reaches the holder on another node, and the answer comes back', async () => {
      const asked = setup.a.leases.ask('job-1', 'what_if', { minutes: 2 });
      const request = await taken();
      expect(request).toMatchObject({ kind: 'what_if', body: { minutes: 2 } });
      await lease('one', { answers: [{ id: request.id, answer: { served: 3 } }] }, setup.b);
      expect(await asked).toEqual({ served: 3 });
    });

    it.each([
      ['agent_not_found', NotFoundError],
      ['what_if_too_long', ValidationError],
      ['too_many_futures', ValidationError],
      ['invalid_fault', ValidationError],
      ['too_many_what_ifs', TryLaterError],
      ['anything_else', ConflictError],
    ])('that fails with %s is thrown as what it means', async (code, kindOfError) => {
      const asked = setup.a.leases.ask('job-1', 'fault', {});
      const expectation = expect(asked).rejects.toBeInstanceOf(kindOfError);
      const { id } = await taken(setup.a);
      await lease('one', { answers: [{ id, answer: { error: { code, detail: 'Because' } } }] });
      await expectation;
    });

    it('that nobody answers is refused in the end', async () => {
      const asked = codeOf(setup.a.leases.ask('job-1', 'what_if', {}));
      setup.pass(6_000);
      await untilSo(async () => expect(await asked).toBe('emulator_silent'));
    });
  });
});
