// The ledger and the dispatcher on both databases, two nodes at once where there can be two.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LedgerNode, openLedger } from '../../../../../test/command-ledger-fixture.ts';
import { type DatabaseKind, eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { intentOf } from '../../../../../test/pure/conflict-world.ts';
import { AuditLog } from '../../accounts/audit/audit-store.ts';
import type { AgentCaller } from '../../base/caller.ts';
import type { SqlDatabase } from '../../base/storage/sql-database.ts';

const agent: AgentCaller = { kind: 'agent', id: 'agent-1', name: 'ap-1' };

eachDatabase((kind: DatabaseKind) => {
  let databases: [SqlDatabase, SqlDatabase];
  let nodes: [LedgerNode, LedgerNode];
  let remove: () => Promise<void>;
  let now: number;
  beforeEach(async () => {
    const opened = await openTwoNodes(kind);
    databases = opened.nodes;
    remove = opened.remove;
    now = Date.now();
    nodes = [openLedger(databases[0], () => now), openLedger(databases[1], () => now)];
  });
  afterEach(() => remove());

  test('S3: of a hundred commands to one parameter on two nodes exactly one is taken, and all are in the log', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        nodes[n % 2]!.send(intentOf({ caller_id: `app-${n}`, args: { dbm: n }, expires_at: now + 600_000 })),
      ),
    );
    expect(outcomes.filter(({ command }) => command)).toHaveLength(1);
    expect(await count(databases[0], 'commands')).toBe(1);
    expect(await count(databases[0], 'jobs')).toBe(1);
    expect(await count(databases[0], 'leases')).toBe(1);
    const log = new AuditLog(databases[0]);
    expect(await log.verify()).toMatchObject({ isWhole: true, count: 100 });
  });

  test('what fails for one fails for none of its neighbours', async () => {
    const [node] = nodes;
    const bad = node.ledger.do({
      readSet: () => {},
      run: async ({ tx }) => {
        await tx.query('SELECT nothing FROM nowhere');
      },
    });
    const good = node.send(intentOf({ expires_at: now + 600_000 }));
    const refused = node.dispatcher.answer(agent, 'unknown', { state: 'received' });
    await expect(bad).rejects.toThrow();
    await expect(refused).rejects.toMatchObject({ code: 'command_not_found' });
    expect((await good).command).toBeDefined();
    expect(await count(databases[0], 'commands')).toBe(1);
  });

  test('due: queued at once; sent once more when unacknowledged, or on a fresh connection; never expired', async () => {
    const [node] = nodes;
    const { command_id } = (await node.send(intentOf({ expires_at: now + 60_000 }))).command!;
    expect((await node.dispatcher.due('ap-1', false)).map((each) => each.command_id)).toEqual([command_id]);
    node.dispatcher.sent([command_id]);
    expect(await node.dispatcher.due('ap-1', false)).toEqual([]);
    expect(await node.dispatcher.due('ap-1', true)).toHaveLength(1);
    await expect.poll(() => node.store.get(command_id)).toMatchObject({ state: 'sent', received_at: null });
    now += 20_000;
    expect(await nodes[1].dispatcher.due('ap-1', false)).toHaveLength(1);
    now += 60_000;
    expect(await node.dispatcher.due('ap-1', true)).toEqual([]);
  });

  test('nothing but the agent’s word makes a command received, and then it is not sent again', async () => {
    const [node] = nodes;
    const { command_id } = (await node.send(intentOf({ expires_at: now + 60_000 }))).command!;
    for (let n = 0; n < 3; n += 1) node.dispatcher.sent([command_id]);
    await expect.poll(() => node.store.get(command_id)).toMatchObject({ state: 'sent', received_at: null });
    await node.dispatcher.answer(agent, command_id, { state: 'received' });
    node.dispatcher.sent([command_id]);
    await node.dispatcher.stop();
    expect(await node.store.get(command_id)).toMatchObject({ state: 'received' });
    expect(await node.dispatcher.due('ap-1', true)).toEqual([]);
  });

  test('an answer that comes before `sent` is recorded records both', async () => {
    const [node] = nodes;
    const { command_id, job_number } = (await node.send(intentOf({ expires_at: now + 60_000 }))).command!;
    node.dispatcher.sent([command_id]);
    await node.dispatcher.answer(agent, command_id, { state: 'received' });
    await node.dispatcher.answer(agent, command_id, { state: 'succeeded', result: { done: true } });
    expect(await statesOf(node, job_number)).toEqual(['sent', 'received', 'succeeded']);
    expect(await node.store.get(command_id)).toMatchObject({ sent_at: now, received_at: now, result: '{"done":true}' });
    await node.dispatcher.stop();
    expect(await statesOf(node, job_number)).toHaveLength(3);
  });

  test('what another node has changed is not overwritten from memory', async () => {
    const { command_id } = (await nodes[0].send(intentOf({ expires_at: now + 60_000 }))).command!;
    await nodes[0].dispatcher.answer(agent, command_id, { state: 'received' });
    await nodes[1].dispatcher.answer(agent, command_id, { state: 'succeeded' });
    expect(await nodes[0].dispatcher.answer(agent, command_id, { state: 'failed' })).toMatchObject({
      state: 'succeeded',
    });
  });

  test('a transaction that fails leaves nothing in memory', async () => {
    const [node] = nodes;
    const { command_id, job_number } = (await node.send(intentOf({ expires_at: now + 60_000 }))).command!;
    const received = node.dispatcher.answer(agent, command_id, { state: 'received' });
    const bad = node.ledger.do({
      readSet: () => {},
      run: async ({ tx }) => {
        await tx.query('SELECT nothing FROM nowhere');
      },
    });
    await expect(bad).rejects.toThrow();
    await received;
    expect(await node.store.get(command_id)).toMatchObject({ state: 'received', received_at: now });
    expect(await statesOf(node, job_number)).toEqual(['received']);
  });

  test('onDue gets new commands in order where no other node has some, and nothing that ended with its own commit', async () => {
    const [node] = nodes;
    const heard: (string[] | undefined)[] = [];
    node.dispatcher.onDue((_, commands) => heard.push(commands?.map(({ command_id }) => command_id)));
    const [first, second, cancelled] = ['a', 'b', 'c'].map((parameter) =>
      intentOf({ parameter, expires_at: now + 60_000 }),
    );
    await Promise.all([
      node.send(first!),
      node.send(cancelled!),
      node.ledger.do(node.operations.cancel(cancelled as never, 'not wanted')),
      node.send(second!),
    ]);
    expect(heard).toEqual([databases[0].dialect === 'sqlite' ? [first!.command_id, second!.command_id] : undefined]);
  });

  test('onDue hears of new commands, and each once', async () => {
    const [node] = nodes;
    const heard: string[] = [];
    node.dispatcher.onDue((ap_id) => heard.push(ap_id));
    const { job_number } = (await node.send(intentOf({ expires_at: now + 60_000 }))).command!;
    node.dispatcher.onBrokerMessage(job_number, 'ap-1');
    expect(heard).toEqual(['ap-1']);
    node.dispatcher.onBrokerMessage('of another node', 'ap-2');
    expect(heard).toEqual(['ap-1', 'ap-2']);
  });
});

/** The states that the messages of the job tell of. */
async function statesOf(node: LedgerNode, job_number: string): Promise<string[]> {
  const messages = await node.mailbox.list(job_number, 0, 1_000_000);
  return messages.map(({ data }) => JSON.parse(data)[0].state);
}

async function count(db: SqlDatabase, table: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
  return row!.n;
}
