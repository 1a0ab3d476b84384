// The rounds on ClickHouse at length.
import { expect, onTestFinished, test } from 'vitest';
import { findClickHouse, startClickHouse } from '../test/clickhouse.ts';
import { storeFaultRounds, storeFaults } from './shared-store-rounds.ts';

const legs = 3;
const roundsPerLeg = 12;

test.skipIf(findClickHouse() === undefined)(
  'R1 on ClickHouse: 36 rounds of faults lose nothing that was acknowledged, and leave no halves',
  { timeout: 1_800_000 },
  async () => {
    const server = await startClickHouse();
    onTestFinished(() => server.stop());
    for (let leg = 0; leg < legs; leg++) {
      const faults = Array.from({ length: roundsPerLeg }, (_, round) => storeFaults[round % storeFaults.length]!);
      const urlOf = (port: number) => `clickhouse://127.0.0.1:${port}/leg_${leg}`;
      const { findings, acknowledged, sent } = await storeFaultRounds(server, urlOf, faults);
      expect(findings).toMatchObject({ lost: 0, foreign: 0, torn: 0, rows: sent });
      expect(Math.min(...acknowledged)).toBeGreaterThan(30);
    }
  },
);
