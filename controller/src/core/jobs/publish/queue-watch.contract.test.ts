// /readyz says whether jobs are taken at all; those whose messages are lost are published again.
import { expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft } from '../../../../../test/weft.ts';
import { createAccountParts } from '../../../core/core-parts.ts';
import type { Events } from '../../events.ts';
import type { Platform } from '../../part.ts';
import { createJobsPart } from '../jobs-part.ts';

const details = '/api/v1/agent_details/request_all_agents_details';

/** Weft with a broker of which some methods are others. */
const withBroker =
  (replace: (broker: Platform['broker']) => Partial<Platform['broker']>) => (platform: Platform, events: Events) => {
    const accounts = createAccountParts(platform, events);
    const { principals } = accounts.auth;
    const replaced = replace(platform.broker);
    const broker = new Proxy(platform.broker, {
      get: (target, key: keyof Platform['broker']) => {
        const value = replaced[key] ?? target[key];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const deps = { ...platform, ...accounts.network, changes: accounts.audit.changes };
    const tuning = { queueWatch: { stillMs: 300, everyMs: 20 } };
    return { ...accounts, jobs: createJobsPart({ ...deps, broker, principals, tuning }, events) };
  };

async function untilSucceeded(weft: Awaited<ReturnType<typeof startWeft>>, job_number: string, token: string) {
  await untilSo(async () => {
    const { body } = await weft.request('GET', `/api/v1/jobs/${job_number}`, { token });
    expect(body.state).toBe('succeeded');
  });
}

test('/readyz fails while nobody takes jobs, and not because of jobs that wait for their owner’s share', async () => {
  let isWorking = false;
  const withIdleWorker = withBroker((real) => ({
    consume: (queue, options, handle) =>
      real.consume(queue, options, async (delivery) => {
        await untilSo(() => expect(isWorking).toBe(true));
        await handle(delivery);
      }),
  }));
  const weft = await startWeft({}, { createParts: withIdleWorker });
  try {
    const token = await weft.admin();
    const ready = () => weft.request('GET', '/readyz');
    expect(await ready()).toMatchObject({ status: 200, body: { parts: { jobs: 'ok' } } });
    const { job_number } = (await weft.request('POST', details, { token })).body;
    await untilSo(async () => {
      expect(await ready()).toMatchObject({ status: 503, body: { parts: { broker: 'ok', jobs: 'failing' } } });
    });
    await weft.parts.jobs.jobStore.setAside([job_number], 'job', Date.now());
    await untilSo(async () => expect((await ready()).status).toBe(200));
    isWorking = true;
    await untilSucceeded(weft, job_number, token);
  } finally {
    await weft.stop();
  }
});

test('a job whose message was confirmed and is gone is published again', async () => {
  let lost = 0;
  const createParts = withBroker((real) => ({
    publish: async (queue, body, options) => {
      if (lost++ > 0) await real.publish(queue, body, options);
    },
  }));
  const weft = await startWeft({}, { createParts });
  try {
    const token = await weft.admin();
    const { job_number } = (await weft.request('POST', details, { token })).body;
    await untilSucceeded(weft, job_number, token);
    expect(lost).toBe(2);
  } finally {
    await weft.stop();
  }
});

test('a job in the hands of a worker of others is published once, and /readyz does not fail because of it', async () => {
  let [published, looks] = [0, 0];
  const createParts = withBroker(() => ({
    publish: async () => void published++,
    consume: async () => ({ stop: async () => {} }),
    consuming: () => 0,
    depth: async () => {
      looks++;
      return { ready: 0, consumers: 1 };
    },
  }));
  const weft = await startWeft({}, { createParts });
  try {
    const token = await weft.admin();
    await weft.request('POST', details, { token });
    // Every 20 ms, and 300 ms are long for a queue.
    await untilSo(() => expect(looks).toBeGreaterThan(60));
    expect(await weft.request('GET', '/readyz')).toMatchObject({ status: 200, body: { parts: { jobs: 'ok' } } });
    expect(published).toBe(1);
  } finally {
    await weft.stop();
  }
});
