// What the store of requests to running networks promises, on both databases.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachDatabase, openTwoNodes } from '../../../../test/databases.ts';
import { system } from '../base/caller.ts';
import { EmulatorRequestStore, type NewRequest } from './emulator-request-store.ts';

interface EmulatorRequestStoreFixture {
  store: EmulatorRequestStore;
  otherNode: EmulatorRequestStore;
  remove(): Promise<void>;
}

const request = (id: string, more: Partial<NewRequest> = {}): NewRequest => ({
  id,
  job_number: 'job-1',
  kind: 'what_if',
  body: { minutes: 5 },
  expires_at: 1000,
  ...more,
});

function describeEmulatorRequestStore(open: () => Promise<EmulatorRequestStoreFixture>): void {
  let fixture: EmulatorRequestStoreFixture;
  let store: EmulatorRequestStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(() => fixture.remove());

  test('a request is taken once, by whichever node, and not by another run', async () => {
    await store.create(request('r1'), 1, system);
    await store.create(request('r2', { job_number: 'job-2' }), 1, system);
    const taken = await Promise.all(
      [store, fixture.otherNode, store, fixture.otherNode].map((node) => node.take('job-1', 10)),
    );
    expect(taken.flat()).toStrictEqual([{ id: 'r1', kind: 'what_if', body: { minutes: 5 } }]);
    expect(await store.take('job-2', 10)).toHaveLength(1);
  });

  test('what has expired is not taken, and is forgotten', async () => {
    await store.create(request('r1', { expires_at: 10 }), 1, system);
    expect(await store.take('job-1', 10)).toEqual([]);
    await store.prune(10);
    expect(await store.take('job-1', 9)).toEqual([]);
  });

  test('the first answer of the run that took it counts', async () => {
    await store.create(request('r1'), 1, system);
    await store.answer('job-1', 'r1', '"too early"');
    expect(await store.answerOf('r1')).toBeUndefined();
    await store.take('job-1', 10);
    await store.answer('job-2', 'r1', '"of another run"');
    await store.answer('job-1', 'r1', '{"a":1}');
    await store.answer('job-1', 'r1', '{"a":2}');
    expect(await fixture.otherNode.answerOf('r1')).toBe('{"a":1}');
    await store.remove('r1');
    expect(await store.answerOf('r1')).toBeUndefined();
  });
}

eachDatabase((kind) => {
  describeEmulatorRequestStore(async () => {
    const { nodes, remove } = await openTwoNodes(kind);
    return { store: new EmulatorRequestStore(nodes[0]), otherNode: new EmulatorRequestStore(nodes[1]), remove };
  });
});
