import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coverageOf, similarCommand } from './command-coverage.tsx';

const agents = [
  { ap_id: 'ap-lab-1', configuration: { commands: ['sleep', { name: 'set_tx_power' }] } },
  { ap_id: 'ap-lab-2', configuration: { commands: ['sleep'] } },
  { ap_id: 'ap-lab-3', configuration: {} },
  { ap_id: 'roof-1', configuration: { commands: ['wake'] } },
];

it('counts the access points that the patterns match, and the commands that they declare', () => {
  expect(coverageOf(agents, ['ap-lab-*', 'ap-lab-1'])).toEqual({
    matching: 3,
    undeclared: 1,
    commands: new Map([
      ['sleep', 2],
      ['set_tx_power', 1],
    ]),
  });
  expect(coverageOf(agents, []).matching).toBe(0);
  expect(coverageOf(agents, undefined).matching).toBe(4);
});

it('knows what was meant by a mistyped command, and nothing where nothing is near', () => {
  const coverage = coverageOf(agents, undefined);
  expect(['slep', 'sleep', 'reboot'].map((name) => similarCommand(name, coverage))).toEqual([
    'sleep',
    undefined,
    undefined,
  ]);
});

it('never counts a command more often than there are access points, whatever they declare', () => {
  const configuration = fc.record({ commands: fc.oneof(fc.jsonValue(), fc.array(fc.constantFrom('a', 'b', {}, 1))) });
  fc.assert(
    fc.property(fc.array(fc.record({ ap_id: fc.string(), configuration })), (given) => {
      const { matching, undeclared, commands } = coverageOf(given, undefined);
      expect(matching).toBe(given.length);
      for (const count of commands.values()) expect(count).toBeLessThanOrEqual(matching - undeclared);
    }),
  );
});
