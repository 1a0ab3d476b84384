// Whether `range` holds what then happens: the network's own future is none of those that the what-if ran.
import { describe, expect, test } from 'vitest';
import { isLong } from '../../../test/rounds.ts';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import { type AccessPointType, accessPointTypes } from '../world/world-spec.ts';
import { whatIf } from './what-if.ts';

/** All of them with `npm run test:long`; a few show that nothing is far off. */
const [worlds, least, most] = isLong ? [200, 0.85, 0.95] : [4, 0.75, 0.99];
const commands: Record<AccessPointType, [name: string, args: Record<string, number>]> = {
  '5G': ['set_tx_power', { dbm: 27 }],
  WiFi: ['set_tx_power', { dbm: 14 }],
  LiFi: ['set_dimming', { percent: 60 }],
};
/** What people read; counters and settings are left out. */
const read = ['throughput_mbps', 'latency_ms', 'power_w', 'connected_devices', 'qos_met_pct', 'backlog_mbit'] as const;

function happen(world: World, ap_id: string, minutes: number) {
  world.measureFromNow();
  for (let second = 0; second < minutes * 60; second++) world.step();
  return world.measured(ap_id);
}

describe.each(accessPointTypes)('%s', (type) => {
  test(`over ${worlds} networks range holds nine of ten values that then happen`, () => {
    const ap_id = `${type.toLowerCase()}-0`;
    const [name, args] = commands[type];
    let [held, seen] = [0, 0];
    for (let seed = 0; seed < worlds; seed++) {
      const world = createWorld({ ...town({ counts: { [type]: 2 }, devicesEach: 8, seed }), peakMbpsPerDevice: 3 });
      for (let second = 0; second < 20; second++) world.step();
      const { predictions } = whatIf(world, [{ ap_id, name, args }], { minutes: 1, futures: 8 });
      const sides = { with: world.clone(), without: world.clone() };
      sides.with.command(ap_id, name, args);
      for (const side of ['with', 'without'] as const) {
        const fields = happen(sides[side], ap_id, 1);
        for (const metric of read) {
          const range = predictions.get(ap_id)!.get(metric)?.[side]?.range;
          const value = fields[metric];
          if (!range || value === undefined || range[0] === range[1]) continue;
          seen++;
          if (value >= range[0] && value <= range[1]) held++;
        }
      }
    }
    expect(seen).toBeGreaterThan(worlds * 6);
    expect(held / seen).toBeGreaterThan(least);
    expect(held / seen).toBeLessThan(most);
  });
});
