// 200 means durable: whatever was acknowledged before a SIGKILL is there after the next start, with its value.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresTelemetry } from '../controller/src/core/telemetry/store/postgres/telemetry-store.postgres.ts';
import { databaseKinds } from '../test/databases.ts';
import { isLong } from '../test/rounds.ts';
import { killRounds, killRoundsWith } from './telemetry-rounds.ts';
import { command } from './weft-process.ts';

/** The last one has many posts, so that there is something to seal. `telemetry-crash.long.test.ts` has many rounds. */
const rounds = 2;
const day = 86_400_000;

test('R1 rounds of SIGKILL at random moments lose nothing that was acknowledged', async () => {
  const { findings, acknowledged, sealedBlocks, oldestSegment } = await killRounds(rounds);
  expect(findings).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0, torn: 0 });
  // A round that acknowledged next to nothing would prove nothing.
  expect(Math.min(...acknowledged)).toBeGreaterThan(40);
  expect(acknowledged).toHaveLength(rounds);
  // Sealing and the removal of old segments took part.
  expect(sealedBlocks).toBeGreaterThan(20);
  expect(oldestSegment).toBeGreaterThan(1);
});

test.skipIf(inject('postgresUrl') === undefined)(
  'R1 on PostgreSQL, while other nodes seal: nothing that was acknowledged is lost, nothing is there twice',
  async () => {
    const namespace = await databaseKinds.postgres.createNamespace({ isBare: true });
    onTestFinished(() => namespace.remove());
    const url = namespace.address;
    const open = () => openPostgresTelemetry({ url, rawRetentionMs: day, rollupRetentionMs: day, onChange: () => {} });
    const sealers = [open(), open()];
    let isOver = false;
    const sealing = sealers.map(async (node) => {
      while (!isOver) if (!(await node.seal({ everything: true }))) await pause(50);
    });
    const client = new Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const blocks = async () =>
      (await client.query('SELECT count(*)::int AS blocks FROM telemetry_blocks')).rows[0].blocks;
    const isFull = async () => (await blocks()) > 20;
    const settings = { WEFT_TELEMETRY_URL: url };
    const { findings, acknowledged } = await killRoundsWith(settings, isLong ? rounds : 1, { isFull });
    isOver = true;
    await Promise.all(sealing);
    expect(findings).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0, torn: 0 });
    expect(Math.min(...acknowledged)).toBeGreaterThan(40);
    expect(await blocks()).toBeGreaterThan(20);
    await Promise.all(sealers.map((node) => node.close()));
  },
);

// That these rounds can fail.
test.runIf(isLong)('R14 the same rounds find the loss when answers come before the commit', async () => {
  const fault = join(import.meta.dirname, 'faults', 'answer-early.mjs');
  // Each round may be the one that finds it.
  const { findings } = await killRounds(5, {
    launcher: [process.execPath, '--import', fault, command],
    isUntilLoss: true,
  });
  expect(findings.lost).toBeGreaterThan(0);
});
