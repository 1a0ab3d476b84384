// Lists of all agents, however many there are: made in turns, held in memory only if they are short, and a few of a caller at once.
import { expect, test } from 'vitest';
import type { Caller } from '../../base/caller.ts';
import { Shares } from '../../base/shares/shares.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import { MetricsService } from './metrics-service.ts';

const [ada, eve] = ['ada', 'eve'].map((name) => ({ kind: 'user', id: name, name }) as unknown as Caller) as [
  Caller,
  Caller,
];
const noise = 'x'.repeat(20_000);

/** How many pages were read. */
let read = 0;

function serviceWith(pages: number): MetricsService {
  const agentAt = (n: number) => ({ ap_id: `ap-${n}`, isEnded: false, isDevice: false }) as AgentRow;
  const sight = {
    async *pages() {
      for (let page = 0; page < pages; page++) {
        read = page + 1;
        yield [agentAt(2 * page), agentAt(2 * page + 1)];
      }
    },
  };
  const network = { visibleTo: async () => sight, moment: async () => ({ sightOf: () => sight }) };
  const details = {
    read: async (agents: AgentRow[]) => agents.map(({ ap_id }) => JSON.stringify({ ap_id, configuration: { noise } })),
  };
  const presence = { words: async (list: unknown[]) => list.map(() => 'online') };
  const telemetry = { latest: async (names: string[]) => names.map((ap_id) => ({ ap_id, metrics: [] })) };
  return new MetricsService({ network, details, presence, telemetry, shares: new Shares() } as never);
}

async function textOf(answer: Awaited<ReturnType<MetricsService['agentDetails']>>): Promise<string> {
  if (typeof answer === 'string' || answer instanceof Uint8Array) return Buffer.from(answer).toString();
  let text = '';
  for await (const piece of answer) text += Buffer.from(piece).toString();
  return text;
}

test('a short list is whole, a long one is read as it is taken, and both are the same JSON', async () => {
  for (const pages of [0, 1, 60]) {
    const service = serviceWith(pages);
    const details = await service.agentDetails(ada);
    expect(details instanceof Uint8Array).toBe(pages < 60);
    if (pages === 60) expect(read).toBeLessThan(40);
    const names = Array.from({ length: 2 * pages }, (_, n) => `ap-${n}`);
    expect(JSON.parse(await textOf(details)).map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual(names);
    const latest = JSON.parse(await textOf(await service.latest(ada, {})));
    expect(latest).toEqual({ agents: names.map((ap_id) => ({ ap_id, presence: 'online', metrics: {} })) });
  }
});

test('of one caller a few long ones are on their way, whether they are read or not; another’s are answered', async () => {
  const service = serviceWith(60);
  const unread = [];
  for (let n = 0; n < 4; n++) unread.push((await service.agentDetails(eve)) as AsyncGenerator);
  await expect(service.agentDetails(eve)).rejects.toMatchObject({ status: 429, code: 'too_many_reads' });
  expect(await textOf(await service.agentDetails(ada))).toContain('ap-119');
  await unread[0]!.return(undefined);
  expect(await textOf(await service.agentDetails(eve))).toContain('ap-119');
});
