// A thousand posts a second beside a measurement, out of a thread of their own: the one that measures must not wait for the
// one that makes the load.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type FleetAgent, Radio } from './fleet.ts';
import { light, openLoop } from './load.ts';
import { influxWriter } from './peer-influx.ts';

const perSecond = 1000;

interface PostsTo {
  to: 'weft' | 'influx';
  url: string;
  fleet: readonly FleetAgent[];
}

/** Says if posts failed: then the work was measured beside less than that. */
export async function whilePosting<T>(posts: PostsTo, work: () => Promise<T>): Promise<T> {
  const worker = new Worker(new URL(import.meta.url), { workerData: posts });
  const over = new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  // The work may be what fails first.
  over.catch(() => {});
  try {
    return await work();
  } finally {
    worker.postMessage('enough');
    const failures = await over;
    if (failures > 0) process.stderr.write(`${failures} posts failed\n`);
  }
}

if (!isMainThread) await post(workerData);

async function post({ to, url, fleet }: PostsTo): Promise<void> {
  const radios = fleet.map(() => new Radio());
  const write = influxWriter(url);
  let next = 0;
  const send = async () => {
    const index = next++ % fleet.length;
    const { ap_id, token } = fleet[index]!;
    if (to === 'influx') {
      return write(ap_id, [{ ts: Date.now(), names: Radio.names, values: radios[index]!.next(), texts: [] }]);
    }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify(radios[index]!.fields());
    return (await light(`${url}/api/v1/agent_update/update`, { method: 'POST', headers }, body)).status === 200;
  };
  let isOver = false;
  parentPort!.once('message', () => {
    isOver = true;
  });
  let failed = 0;
  while (!isOver) failed += (await openLoop(send, perSecond, 1)).failures;
  parentPort!.postMessage(failed);
}
