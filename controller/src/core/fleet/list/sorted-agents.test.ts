import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { type AgentRow, byApId } from '../../network/agent-rows.ts';
import { compareEntries, readOrder, recordKeyOf } from './list-order.ts';
import { SortedAgents } from './sorted-agents.ts';

const word = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null });
const ap_id = fc.integer({ min: 0, max: 40 }).map((n) => `ap-${n}`);
const fleet = fc.dictionary(ap_id, word, { maxKeys: 40 });

it('are in order after every change, as if they were sorted each time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fleet,
      fc.array(fc.array(fc.tuple(ap_id, fc.option(word, { nil: undefined })), { maxLength: 3 }), { maxLength: 8 }),
      fc.constantFrom('ap_id', '-ap_id', 'display_name', '-display_name'),
      async (first, rounds, sort) => {
        const order = readOrder(sort);
        const keyOf = recordKeyOf(order);
        const entry = (agent: AgentRow) => ({ key: keyOf(agent), ap_id: agent.ap_id });
        const sorted = new SortedAgents();
        const agents = new Map(
          Object.entries(first).map(([name, display_name]) => [name, agentOf(name, display_name)]),
        );
        for (const changes of [[], ...rounds]) {
          for (const [name, display_name] of changes) {
            if (display_name === undefined) agents.delete(name);
            else agents.set(name, agentOf(name, display_name));
          }
          const source = [...agents.values()].sort(byApId);
          const naive = source.toSorted((a, b) => compareEntries(entry(a), entry(b), order.isDescending));
          const [one, other] = await Promise.all([sorted.of(order, source), sorted.of(order, source)]);
          expect(one).toEqual(naive);
          expect(other).toBe(one);
        }
      },
    ),
    { numRuns: rounds(300) },
  );
});

it('sorts more than it can at once', async () => {
  const source = Array.from({ length: 3500 }, (_, n) => agentOf(`ap-${n}`, `${(n * 7919) % 3500}`)).sort(byApId);
  const names = (await new SortedAgents().of(readOrder('display_name'), source)).map(
    ({ display_name }) => display_name,
  );
  expect(names).toEqual(source.map(({ display_name }) => display_name).sort());
});

function agentOf(name: string, display_name: string | null): AgentRow {
  return { ap_id: name, display_name } as AgentRow;
}
