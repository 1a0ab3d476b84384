// Fifteen faults of a cluster under load, each on a cluster of its own: nothing that was acknowledged is lost or there twice.
// WEFT_FAULT_AGENTS is how many access points there are (100), WEFT_FAULT_TABLE=1 writes the table in docs/scale.md.
import { Client } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { hasPatroni } from '../../test/patroni.ts';
import { type Fault, faultRound, noLosses } from './fault-rounds.ts';
import { keepRow } from './fault-table.ts';
import { faults } from './faults.ts';

const isMissing = !hasPatroni || inject('amqpUrl') === undefined;
const names = faults.map(({ name }) => name);

describe.skipIf(isMissing)('a cluster under load', { timeout: 900_000 }, () => {
  test.for(faults)('$name', async (fault, { skip }) => {
    if (fault.isPossible === false) skip('this machine does not permit it');
    const row = await faultRound(fault);
    keepRow(row, names);
    expect(row.losses).toEqual(noLosses);
    expect(Math.min(...Object.values(row.acknowledged))).toBeGreaterThan(0);
  });

  test('of which something is taken away behind its back: the ledger finds it', async () => {
    const nothing: Fault = { name: 'nothing', run: async () => {} };
    const row = await faultRound(nothing, async ({ cluster, load }) => {
      const client = new Client({ connectionString: (await cluster.postgres.leader()).url });
      await client.connect();
      await client.query(`DELETE FROM users WHERE username = $1`, [load.users[0]]);
      await client.query(`DELETE FROM commands WHERE command_id = $1`, [[...load.commandIds.keys()][0]]);
      const oldest = `SELECT min(seq) FROM telemetry_journal JOIN telemetry_sources ON no = source WHERE ap_id = $1`;
      for (const ap_id of ['post-0', 'channel-0']) {
        await client.query(`DELETE FROM telemetry_journal WHERE seq = (${oldest})`, [ap_id]);
      }
      await client.end();
      load.applied.set([...load.applied.keys()].at(-1)!, 2);
      load.jobs.jobs[0]!.end = 'failed';
    });
    expect(row.losses).toMatchObject({ samples: expect.any(Number), commands: 1, users: 1, jobs: 1, commandsTwice: 1 });
    expect(row.losses.samples).toBeGreaterThanOrEqual(2);
  });
});
