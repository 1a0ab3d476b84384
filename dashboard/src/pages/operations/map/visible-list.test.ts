import { expect, test } from 'vitest';
import type { NetworkHealth } from '../../../api/client.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { selectorOf } from './use-map-devices.ts';
import { rankAgents } from './visible-list.tsx';

const agent = (ap_id: string, state = 'online') => ({ ap_id, display_name: null, state }) as unknown as FleetAgent;

test('the worst of the network are first, as the server ranks them; then who is away, then by name', () => {
  const agents = [agent('ap-10'), agent('ap-2'), agent('ap-3', 'late'), agent('ap-4', 'offline'), agent('ap-5')];
  const worst = [
    { ap_id: 'elsewhere', causes: ['Offline'], devices_affected: 9 },
    { ap_id: 'ap-5', causes: ['Jammed'], devices_affected: 4 },
    { ap_id: 'ap-10', causes: ['Busy'], devices_affected: 0 },
  ] as unknown as NetworkHealth['worst'];
  const ranked = rankAgents(agents, worst);
  expect(ranked.map(({ ap_id }) => ap_id)).toEqual(['ap-5', 'ap-10', 'ap-4', 'ap-3', 'ap-2']);
  expect(ranked.map(({ badness }) => badness?.devices_affected)).toEqual([4, 0, undefined, undefined, undefined]);
});

test('devices are asked for by the access points in view, all of a small network, and not of a crowd', () => {
  const many = Array.from({ length: 40 }, (_, n) => ({ ap_id: `ap-${n}` }));
  expect(selectorOf(many.slice(0, 2), 1_000)).toBe('name:"ap-0" or name:"ap-1"');
  expect(selectorOf(many, 40)).toBe('');
  expect(selectorOf(many, 1_000)).toBeUndefined();
  expect(selectorOf([], 12)).toBeUndefined();
  expect(selectorOf([{ ap_id: 'x'.repeat(128) }, ...many.slice(0, 29)], 1_000)).toMatch(/^name:"x{128}"/);
});
