// The upkeep of jobs while the database is away, and with much to do.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type JobServer, startJobServer } from '../../../../../test/job-server.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';

const hour = 3_600_000;
let server: JobServer;

beforeEach(async () => {
  server = await startJobServer();
});
afterEach(() => server.stop());

describe('the upkeep of jobs', () => {
  it('says once that the database is away, and never throws', async () => {
    await server.upkeep.once();
    await server.database.close();
    for (let n = 0; n < 5; n += 1) await server.upkeep.once();
    expect(server.changes).toEqual([expect.stringContaining('held up')]);
  });

  it('expires and forgets more than fits into one step', async () => {
    const numbers = await Promise.all(Array.from({ length: 120 }, () => server.ask()));
    server.outside.aheadMs = hour + 1;
    await server.upkeep.once();
    const states = await Promise.all(numbers.map(async (number) => (await server.store.get(number))?.state));
    expect(new Set(states)).toEqual(new Set(['expired']));
    const jobs = server.retention.kinds.find(({ name }) => name === 'jobs')!;
    while (await jobs.remove(Date.now() + 26 * hour));
    expect(await server.store.list({ limit: 1 })).toEqual([]);
  });

  it('runs by itself until it is stopped', async () => {
    server.outside.brokerIsAway = true;
    await server.ask();
    server.outside.brokerIsAway = false;
    server.outside.aheadMs = 3000;
    server.upkeep.start();
    await untilSo(() => expect(server.published).toHaveLength(1));
    await server.upkeep.stop();
  });
});
