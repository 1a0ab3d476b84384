// A disk that is full: refused with 503, never acknowledged, nothing lost, and well again without a restart once there
// is room.
import { closeSync, openSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canMount, smallDisk } from '../test/mounts.ts';
import { prepareLedger } from './ledger-folder.ts';
import { send } from './telemetry-ledger.ts';
import { serve as startHere } from './weft-here.ts';
import { eventually, password, serve, temporaryFolder, type Weft, type WeftServer } from './weft-process.ts';

/** Takes what is free on the disk, but for `left` bytes; `free` gives it back. */
function fillDisk(folder: string, left = 0): () => void {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  const { bavail, bsize } = statfsSync(folder);
  const wanted = bavail * bsize - left;
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (let written = 0; written < wanted; )
      written += writeSync(file, piece, 0, Math.min(piece.length, wanted - written));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  closeSync(file);
  return () => rmSync(path);
}

async function onSmallDisk(agents: number) {
  const folder = temporaryFolder();
  const disk = smallDisk(join(folder, 'disk'), 8);
  const prepared = await prepareLedger(disk, agents);
  const weft = await serve({ folder, env: prepared.env });
  return { ...prepared, folder, disk, weft, agent: prepared.ledger.agents[0]! };
}

const isReady = (weft: WeftServer) => weft.request('GET', '/readyz').then(({ status }) => status === 200);

describe.skipIf(!canMount)('on a disk of 8 MiB', () => {
  test('R4 a full disk is answered 503 with Retry-After, reads go on, and room makes it well again', async () => {
    const { ledger, env, disk, weft, agent } = await onSmallDisk(5);
    writeFileSync(join(disk, 'reserve'), Buffer.alloc(2 * 1024 * 1024));
    let refusals = 0;
    for (let round = 0; refusals < 20; round++) {
      expect(round).toBeLessThan(2000);
      const one = ledger.agents[round % ledger.agents.length]!;
      const status = await one.post(weft, 400);
      expect([200, 503]).toContain(status);
      if (status === 503) refusals += 1;
    }
    const answer = await weft.request('POST', '/api/v1/agent_update/update', {
      token: agent.token,
      json: { samples: Array.from({ length: 2000 }, (_, n) => ({ ts: Date.now() - 3_600_000 + n, other: n })) },
    });
    expect([answer.status, answer.body.code]).toEqual([503, 'disk_full']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(
      () => weft.request('GET', '/readyz'),
      ({ status, body }) => status === 503 && body.reasons?.disk === 'disk_full',
    );
    expect((await weft.request('GET', '/healthz')).status).toBe(200);
    expect(await ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0 });

    rmSync(join(disk, 'reserve'));
    await eventually(
      () => agent.post(weft, 2),
      (status) => status === 200,
    );
    for (const one of ledger.agents) expect(await one.post(weft, 50)).toBe(200);
    await eventually(
      () => isReady(weft),
      (ready) => ready,
    );
    expect(await ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0 });
    await weft.end('SIGKILL');
    const again = await startHere({ env });
    expect(await ledger.compareExport(again)).toMatchObject({ lost: 0, foreign: 0, refusedButThere: 0 });
    expect(weft.err.split('telemetry cannot be stored: ').length - 1).toBeLessThanOrEqual(2);
    expect(weft.err).toMatch(/telemetry cannot be stored: .*(ENOSPC|disk is full)/);
  });

  test('R4 names that could not be registered are registered later, and keep their values', async () => {
    const { env, disk, weft, agent } = await onSmallDisk(1);
    expect(await agent.post(weft)).toBe(200);
    const free = fillDisk(disk);
    const ts = Date.now() - 5000;
    const post = (server: Weft, json: object) => send(server, agent.token, JSON.stringify({ ts, ...json }));
    const names = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`${prefix}${n}`, n + 0.5]));
    expect(await post(weft, names('late_'))).toBe(503);
    free();
    expect(await post(weft, names('late_'))).toBe(200);
    await weft.end('SIGKILL');
    const again = await startHere({ env });
    expect(await post(again, { unrelated: 7 })).toBe(200);
    const query = `agent=${agent.ap_id}&metrics=late_0,late_899,unrelated`;
    const { body } = await again.request('GET', `/api/v1/metrics/agent_multi_metric_data?${query}`, agent);
    expect(body.series.map(({ points }: { points: { value: number }[] }) => points.map(({ value }) => value))).toEqual([
      [0.5],
      [899.5],
      [7],
    ]);
  });

  test('R4 heads that cannot be sealed for lack of room are sealed later, and nothing of them is lost', async () => {
    const { ledger, env, disk, weft } = await onSmallDisk(3);
    // Not yet full, the first of them soon: nothing was sealed before, so that there is no room inside the tables.
    for (const agent of ledger.agents) expect(await agent.post(weft, 160)).toBe(200);
    const free = fillDisk(disk, 24 * 1024);
    // Room enough for some of the journal, not for blocks.
    const statuses = new Set<number | undefined>();
    for (let n = 0; n < 20; n++) for (const agent of ledger.agents) statuses.add(await agent.post(weft, 10));
    expect([...statuses].sort()).toEqual([200, 503]);
    await weft.until('word of it', () => weft.err.includes('sealing failed'));
    expect(await ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
    // What stays full for long must not fill the log as well.
    expect(weft.err.split('sealing failed').length - 1).toBe(1);
    free();
    for (let n = 0; n < 10; n++) {
      for (const agent of ledger.agents) expect(await agent.post(weft, 200)).toBe(200);
      expect(await ledger.compareSeries(weft)).toMatchObject({ lost: 0, foreign: 0 });
    }
    await weft.end('SIGKILL');
    const again = await startHere({ env });
    expect(await ledger.compareExport(again)).toMatchObject({ lost: 0, foreign: 0 });
  });

  test('R4 accounts are refused with 503 on a full disk, and can be created once there is room', async () => {
    const disk = smallDisk(join(temporaryFolder(), 'disk'), 8);
    const weft = await startHere({ env: { WEFT_DATA_DIR: join(disk, 'data') } });
    const token = await weft.createAdmin();
    const create = (n: number) =>
      weft.request('POST', '/api/v1/users/', {
        token,
        json: { username: `u${n}@example.org`, password, roles: ['user'] },
      });
    const free = fillDisk(disk);
    const created: number[] = [];
    let refused: number | undefined;
    // The log of the database may have room inside for a few.
    for (let n = 0; refused === undefined && n < 60; n++) {
      const { status, headers, body } = await create(n);
      if (status === 200) created.push(n);
      else {
        expect([status, headers.has('retry-after'), body.code]).toEqual([503, true, 'disk_full']);
        refused = n;
      }
    }
    expect(refused).toBeDefined();
    free();
    const path = (n: number) => `/api/v1/users/u${n}@example.org`;
    expect((await weft.request('GET', path(refused!), { token })).status).toBe(404);
    expect((await create(refused!)).status).toBe(200);
    for (const n of created) expect((await weft.request('GET', path(n), { token })).status).toBe(200);
  });
});
