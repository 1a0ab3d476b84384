// What the enrolment token store promises, one test a sentence, on both databases.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { agentNamed } from '../../../../../test/pure/stored-records.ts';
import { system } from '../../base/caller.ts';
import { AgentStore } from './agent-store.ts';
import { type EnrolmentTokenRecord, EnrolmentTokenStore } from './enrolment-token-store.ts';

interface EnrolmentTokenStoreFixture {
  store: EnrolmentTokenStore;
  /** The same tokens, seen from another node. */
  otherNode: EnrolmentTokenStore;
  agents: AgentStore;
  remove(): Promise<void>;
}

const NOW = 1_790_000_000_000;

function describeEnrolmentTokenStore(open: () => Promise<EnrolmentTokenStoreFixture>): void {
  let fixture: EnrolmentTokenStoreFixture;
  let store: EnrolmentTokenStore;
  const token = (id: string, more: Partial<EnrolmentTokenRecord> = {}): EnrolmentTokenRecord => ({
    id,
    token_hash: `hash of ${id}`,
    ap_id_pattern: 'roof-*',
    created_by: 'ada@x',
    created_at: NOW,
    expires_at: NOW + 100,
    max_uses: 2,
    uses: 0,
    site: null,
    tags: [],
    managed_by: null,
    ...more,
  });

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('getUsable resolves the token until it expires', async () => {
    await store.create(token('t'), system);
    expect(await fixture.otherNode.getUsable('hash of t', NOW + 99)).toStrictEqual(token('t'));
    expect(await store.getUsable('hash of t', NOW + 100)).toBeUndefined();
    expect(await store.getUsable('t', NOW)).toBeUndefined();
  });

  test('getUsable resolves undefined for a token without uses left', async () => {
    await store.create(token('t', { max_uses: 1 }), system);
    await store.redeem('hash of t', NOW, agentNamed('roof-1'));
    expect(await store.getUsable('hash of t', NOW)).toBeUndefined();
  });

  test('list knows those not yet expired, used up or not, newest first', async () => {
    await store.create(token('old', { created_at: NOW - 5, max_uses: 1, uses: 1 }), system);
    await store.create(token('new', { created_at: NOW + 5 }), system);
    await store.create(token('gone', { expires_at: NOW + 10 }), system);
    await store.create(token('mid'), system);
    expect((await store.list(NOW + 10)).map(({ id }) => id)).toStrictEqual(['new', 'mid', 'old']);
    expect(await store.list(NOW + 10)).toContainEqual(token('mid'));
  });

  test('remove resolves whether there was one to remove', async () => {
    await store.create(token('t'), system);
    expect(await store.remove('t')).toBe(true);
    expect(await store.remove('t')).toBe(false);
    expect(await store.redeem('hash of t', NOW, agentNamed('roof-1'))).toBe(false);
  });

  test('redeem counts one use and creates the agent', async () => {
    await store.create(token('t'), system);
    const agent = agentNamed('roof-1');
    expect(await store.redeem('hash of t', NOW, agent)).toBe(true);
    expect(await fixture.agents.get('roof-1')).toStrictEqual(agent);
    expect(await store.getUsable('hash of t', NOW)).toMatchObject({ uses: 1 });
  });

  test('redeem resolves false for a token unknown, expired or used up, and creates nothing', async () => {
    await store.create(token('t', { max_uses: 1 }), system);
    expect(await store.redeem('t', NOW, agentNamed('roof-1'))).toBe(false);
    expect(await store.redeem('hash of t', NOW + 100, agentNamed('roof-1'))).toBe(false);
    expect(await store.redeem('hash of t', NOW, agentNamed('roof-1'))).toBe(true);
    expect(await store.redeem('hash of t', NOW, agentNamed('roof-2'))).toBe(false);
    expect(await fixture.agents.count()).toBe(1);
  });

  test('redeem throws agent_exists if the ap_id is taken; then no use is counted', async () => {
    await fixture.agents.create(agentNamed('roof-1'));
    await store.create(token('t'), system);
    await expect(store.redeem('hash of t', NOW, agentNamed('roof-1'))).rejects.toMatchObject({
      name: 'ConflictError',
      code: 'agent_exists',
    });
    expect(await store.getUsable('hash of t', NOW)).toMatchObject({ uses: 0 });
  });

  test('parallel calls on two nodes never use a token more often than allowed', async () => {
    await store.create(token('t', { max_uses: 5 }), system);
    const calls = Array.from({ length: 30 }, (_, n) =>
      (n % 2 ? store : fixture.otherNode).redeem('hash of t', NOW, agentNamed(`roof-${n}`)),
    );
    expect((await Promise.all(calls)).filter(Boolean)).toHaveLength(5);
    expect(await fixture.agents.count()).toBe(5);
    expect(await store.list(NOW)).toMatchObject([{ uses: 5 }]);
  });

  test('removeExpired removes what has expired; resolves how many', async () => {
    await store.create(token('a', { expires_at: NOW + 1 }), system);
    await store.create(token('b', { expires_at: NOW + 2 }), system);
    await store.create(token('c', { expires_at: NOW + 3 }), system);
    expect(await store.removeExpired(NOW + 2)).toBe(2);
    expect((await store.list(0)).map(({ id }) => id)).toStrictEqual(['c']);
  });
}

eachDatabase((kind) => {
  describeEnrolmentTokenStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return {
      store: new EnrolmentTokenStore(nodes[0]),
      otherNode: new EnrolmentTokenStore(nodes[1]),
      agents: new AgentStore(nodes[0]),
      remove,
    };
  });
});
