// Ended sessions in the memory of two nodes: none is missed, whatever the clocks say, and none stays forever.
import { expect, onTestFinished, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../../test/databases.ts';
import { EndedSessions, SessionStore } from './session-store.ts';

const hourMs = 3_600_000;

eachDatabase((kind) => {
  const open = async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    onTestFinished(remove);
    const stores = nodes.map((node) => new SessionStore(node)) as [SessionStore, SessionStore];
    return { stores, known: new EndedSessions({ sessions: stores[1], freshMs: 60_000 }) };
  };

  test('what another node ended is known, also if its clock is far behind', async () => {
    const { stores, known } = await open();
    const nowMs = Date.now();
    await known.head.fresh();
    await stores[0].end({ id: 'late', ended_at: nowMs - 2 * hourMs, expires_at: nowMs + hourMs });
    await known.head.fresh();
    expect(known.has('late')).toBe(true);
  });

  test('what this node ended is looked for before the next token is accepted', async () => {
    const { stores, known } = await open();
    expect(known.isFresh()).toBe(false);
    await known.head.fresh();
    expect(known.isFresh()).toBe(true);
    await stores[1].end({ id: 'own', ended_at: 0, expires_at: hourMs });
    known.forget();
    expect(known.isFresh()).toBe(false);
    await known.head.fresh();
    expect([known.isFresh(), known.has('own')]).toEqual([true, true]);
  });

  test('those whose tokens have expired are forgotten, and no other', async () => {
    const { stores, known } = await open();
    await stores[0].end({ id: 'short', ended_at: 0, expires_at: 5 });
    await stores[0].end({ id: 'long', ended_at: 0, expires_at: 50 });
    await known.head.fresh();
    await stores[0].removeExpired(5);
    expect([known.has('short'), known.has('long')]).toEqual([true, true]);
    await known.head.fresh();
    expect([known.has('short'), known.has('long')]).toEqual([false, true]);
  });
});
