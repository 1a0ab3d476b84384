// What of a job's messages a caller gets, by its rights at the time of reading.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppCaller, Caller } from '../../base/caller.ts';
import type { NetworkSight } from '../../network/sight.ts';
import type { MessageRecord } from './mailbox-store.ts';
import { itemsOf, MessageView } from './message-view.ts';

const names = ['ap-1', 'ap-2', 'emu-1', 'emu-2'];
const ownAgents = new Set(['emu-1']);

/** By the patterns, plain names here, and the caller's own. */
async function visibleTo(caller: Caller) {
  const { agents } = (caller as AppCaller).permissions;
  const sees = (ap_id: string) => agents === undefined || agents.includes(ap_id) || ownAgents.has(ap_id);
  return { sees } as NetworkSight;
}
const view = new MessageView({ network: { visibleTo } });

const app = (permissions: AppCaller['permissions']): AppCaller => ({
  kind: 'third_party_app',
  id: 'a',
  name: 'a',
  permissions,
});
const message = (seq: number, type: MessageRecord['type'], data: unknown[], final = false): MessageRecord => ({
  job_number: 'job',
  seq,
  type,
  data: JSON.stringify(data),
  final,
  ts: 0,
  chunk: null,
});

const item = fc.record(
  { ap_id: fc.constantFrom(...names), note: fc.string(), deep: fc.jsonValue() },
  { requiredKeys: ['ap_id'] },
);
const messages = fc
  .array(
    fc.tuple(
      fc.constantFrom('agent_details' as const, 'command' as const, 'status' as const),
      fc.array(item),
      fc.boolean(),
    ),
  )
  .map((list) => list.map(([type, data, final], index) => message(index + 1, type, data, final)));
const permissions = fc.record(
  {
    agents: fc.subarray(names),
    read: fc.boolean(),
    expires_at: fc.constantFrom('2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'),
  },
  { requiredKeys: [] },
);

describe('laws', () => {
  it('every message comes, in order, with its number and end; only items about visible agents are in it, unchanged', () =>
    fc.assert(
      fc.asyncProperty(messages, permissions, async (all, granted) => {
        const caller = app(granted);
        const shown = await view.show(caller, null, all);
        expect(shown.map(({ seq, type, final }) => [seq, type, final])).toEqual(
          all.map(({ seq, type, final }) => [seq, type, final]),
        );
        const canRead = granted.read !== false && granted.expires_at !== '2000-01-01T00:00:00Z';
        const isVisible = (ap_id: string) => !granted.agents || granted.agents.includes(ap_id) || ownAgents.has(ap_id);
        for (const [index, { type, data }] of shown.entries()) {
          const before = JSON.parse(all[index]!.data) as { ap_id: string }[];
          const expected =
            type === 'status'
              ? before
              : before.filter(({ ap_id }) => isVisible(ap_id) && (type === 'command' || canRead));
          expect(JSON.parse(data)).toEqual(expected);
        }
      }),
    ));

  it('users and agents get everything as it is, without a look', () =>
    fc.assert(
      fc.asyncProperty(messages, async (all) => {
        const blind = new MessageView({ network: { visibleTo: () => Promise.reject(new Error('asked')) } });
        const user: Caller = { kind: 'user', id: 'u', name: 'u', roles: ['user'], isAdmin: false };
        expect(await blind.show(user, null, all)).toEqual(all);
        expect(await blind.show({ kind: 'agent', id: 'x', name: 'ap-1' }, 'ap-1', all)).toEqual(all);
      }),
    ));

  it('itemsOf finds the texts of all items, whatever is in them', () =>
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), fc.constantFrom(0, 2), (list, indent) => {
        const texts = itemsOf(JSON.stringify(list, undefined, indent));
        expect(texts.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(list)));
      }),
    ));
});

describe('the records of #23', () => {
  const record = { time: '2026-01-01T00:00:00.000Z', field: 'load', value: 1 };

  it.each([
    ['in sight', { agents: ['ap-1'] }, 1],
    ['out of sight', { agents: ['ap-2'] }, 0],
    ['without the right to read', { agents: ['ap-1'], read: false }, 0],
    ['expired', { expires_at: '2000-01-01T00:00:00Z' }, 0],
  ])('of an agent, %s', async (_, granted, count) => {
    const [shown] = await view.show(app(granted), 'ap-1', [message(1, 'agent_data', [record], true)]);
    expect(JSON.parse(shown!.data)).toHaveLength(count);
    expect(shown).toMatchObject({ seq: 1, final: true });
  });

  it('numbers stay as they were written', async () => {
    const data = '[{"ap_id":"ap-1","big":12345678901234567890,"one":1.0},{"ap_id":"ap-2"}]';
    const [shown] = await view.show(app({ agents: ['ap-1'] }), null, [{ ...message(1, 'agent_details', []), data }]);
    expect(shown!.data).toBe('[{"ap_id":"ap-1","big":12345678901234567890,"one":1.0}]');
  });

  it('whose token is no longer good gets the status and nothing else', async () => {
    const all = [
      message(1, 'agent_data', [record]),
      message(2, 'emulator', [{}]),
      message(3, 'status', [{ state: 'cancelled' }]),
    ];
    const shown = await view.show(undefined, 'ap-1', all);
    expect(shown.map(({ data }) => data)).toEqual(['[]', '[]', '[{"state":"cancelled"}]']);
  });
});
