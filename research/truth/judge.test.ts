// The judge of rules is judged on a world of three reports.
import type { AlarmRuleInput } from '@weft/contract/operations';
import { expect, it } from 'vitest';
import type { PlannedFault } from './fault-plan.ts';
import { planFaults } from './fault-plan.ts';
import { judge } from './judge.ts';
import type { RecordedWorld } from './record-world.ts';

const rule: AlarmRuleInput = {
  name: 'r',
  selector: 'type:WiFi',
  condition: { metric: 'noise_floor_dbm', op: '>', value: -85 },
  for_seconds: 10,
  severity: 'minor',
};

function worldOf(faults: PlannedFault[], noisyS: [from: number, to: number]): RecordedWorld {
  const startMs = 1_790_000_000_000;
  const arrivals = Array.from({ length: 200 }, (_, n) => {
    const ts = startMs + n * 5000;
    const isNoisy = n * 5 >= noisyS[0] && n * 5 < noisyS[1];
    return { ts, arrivedMs: ts, fields: { noise_floor_dbm: isNoisy ? -70 : -91, active: 1 } };
  });
  return {
    seed: 1,
    startMs,
    endMs: startMs + 1e6,
    faults,
    types: new Map([['w', 'WiFi']]),
    arrivals: new Map([['w', arrivals]]),
    events: [],
    treatments: [],
  };
}

const jam = (startS: number, size: number): PlannedFault => ({
  cause: 'jammer',
  ap_id: 'w',
  others: [],
  startS,
  seconds: 100,
  size,
});
const expectation = { rule: 'r', cause: 'jammer', matters: ({ size }: PlannedFault) => size > 10 } as const;

it('counts what was found, how soon, and alarms without a cause', () => {
  expect(judge(rule, expectation, [worldOf([jam(100, 20)], [100, 200])])).toEqual({
    mattering: 1,
    found: 1,
    small: 0,
    smallFound: 0,
    alarms: 1,
    caused: 1,
    delaysS: [10],
  });
  const missed = judge(rule, expectation, [worldOf([jam(100, 20), jam(700, 5)], [400, 500])]);
  expect(missed).toMatchObject({ mattering: 1, found: 0, small: 1, smallFound: 0, alarms: 1, caused: 0 });
});

it('faults follow from the seed, and an access point has one at a time', () => {
  const aps = [
    { ap_id: 'a', type: '5G' },
    { ap_id: 'b', type: 'WiFi' },
    { ap_id: 'c', type: 'LiFi' },
  ];
  const plan = planFaults(aps, 5, 3600, 2);
  expect(planFaults(aps, 5, 3600, 2)).toEqual(plan);
  expect(planFaults(aps, 6, 3600, 2)).not.toEqual(plan);
  for (const one of plan) {
    for (const other of plan) {
      if (one === other || one.ap_id !== other.ap_id) continue;
      const isApart = one.startS + one.seconds < other.startS || other.startS + other.seconds < one.startS;
      expect(isApart).toBe(true);
    }
  }
});
