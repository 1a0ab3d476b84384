// 200 means durable, with telemetry in ClickHouse: whoever fails, nothing that was acknowledged is lost, nothing is there
// twice, and no post is there by half.
import { expect, onTestFinished, test } from 'vitest';
import { findClickHouse, startClickHouse } from '../test/clickhouse.ts';
import { storeFaultRounds, storeFaults } from './shared-store-rounds.ts';

test.skipIf(findClickHouse() === undefined)(
  'R1 on ClickHouse: a controller killed, the server killed, the network cut',
  async () => {
    const server = await startClickHouse();
    onTestFinished(() => server.stop());
    const urlOf = (port: number) => `clickhouse://127.0.0.1:${port}`;
    const { findings, acknowledged, sent } = await storeFaultRounds(server, urlOf, storeFaults);
    expect(findings).toMatchObject({ lost: 0, foreign: 0, torn: 0, rows: sent });
    expect(Math.min(...acknowledged)).toBeGreaterThan(30);
  },
);
