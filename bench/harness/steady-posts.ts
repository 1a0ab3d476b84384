// A thousand posts a second beside a measurement, out of a thread of their own: the one that measures must not wait for the
// one that makes the load.
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type FleetAgent, Radio } from './fleet.ts';
import { answerSize, openLoop, requestBytes } from './load.ts';
import { influxPost, measurement } from './peer-influx.ts';

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

async function post({ to, url, fleet }: PostsTo): Promise<void> {
  const radios = fleet.map(() => new Radio());
  const connections = new ReadyConnections(url);
  let next = 0;
  const send = () => {
    const index = next++ % fleet.length;
    const { ap_id, token } = fleet[index]!;
    const radio = radios[index]!;
    return connections.send(to === 'influx' ? influxBytes(url, ap_id, radio) : weftBytes(url, token, radio));
  };
  let isOver = false;
  parentPort!.once('message', () => {
    isOver = true;
  });
  let failed = 0;
  while (!isOver) failed += (await openLoop(send, perSecond, 1)).failures;
  connections.close();
  parentPort!.postMessage(failed);
}

function weftBytes(url: string, token: string, radio: Radio): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${url}/api/v1/agent_update/update`, headers, JSON.stringify(radio.fields()));
}

function influxBytes(url: string, ap_id: string, radio: Radio): Buffer {
  const values = radio.next();
  const fields = Radio.names.map((name, index) => `${name}=${values[index]}`);
  return influxPost(url, `${measurement(ap_id)} ${fields.join()} ${Date.now()}`);
}

/** As cheap as a client can be, because it shares the machine with what is measured: ready bytes on open connections. */
class ReadyConnections {
  readonly #url: URL;
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Whether the answer is one of success. */
  send(bytes: Buffer): Promise<boolean> {
    const socket = this.#idle.pop() ?? this.#open();
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0);
      const onData = (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const size = answerSize(received);
        if (size === undefined || received.length < size) return;
        socket.off('data', onData);
        socket.off('error', reject);
        this.#idle.push(socket);
        resolve(received[9] === 0x32);
      };
      socket.on('data', onData);
      socket.once('error', reject);
      socket.write(bytes);
    });
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    this.#all.add(socket);
    return socket;
  }
}

if (!isMainThread) await post(workerData);
