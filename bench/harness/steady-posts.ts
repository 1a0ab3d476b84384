// A thousand posts a second, or another number, beside a measurement, out of a thread of their own: the one that measures must not wait for the
// one that makes the load.
import { connect, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Radio, type StoredAgent } from './fleet.ts';
import { answerSize, openLoop, percentile, requestBytes } from './load.ts';
import { influxPost, measurement } from './peer-influx.ts';

const usualPerSecond = 1000;
/** Of each agent, made before: at high rates the load must not be what takes the processor. */
const readyBodies = 4;

interface PostsTo {
  to: 'weft' | 'influx';
  url: string;
  /** More nodes of the same Weft: agents are spread over all of them. */
  otherUrls?: readonly string[];
  /** Default: 1,000. Above it the same few values are posted again and again. */
  perSecond?: number;
  fleet: readonly StoredAgent[];
  /** What each of them posts; default: other values each time. */
  bodies?: readonly string[];
}

/** From the moment each was due. */
export interface Posted {
  p50Ms: number;
  p99Ms: number;
  failures: number;
  /** What came about. */
  perSecond: number;
}

/** Says if posts failed: then the work was measured beside less than that. */
export async function whilePosting<T>(
  posts: PostsTo,
  work: () => Promise<T>,
  onPosted: (posted: Posted) => void = () => {},
): Promise<T> {
  const worker = new Worker(new URL(import.meta.url), { workerData: posts });
  const over = new Promise<Posted>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  // The work may be what fails first.
  over.catch(() => {});
  try {
    return await work();
  } finally {
    worker.postMessage('enough');
    const posted = await over;
    onPosted(posted);
    const { failures } = posted;
    if (failures > 0) process.stderr.write(`${failures} posts failed\n`);
  }
}

async function post({ to, url, otherUrls = [], perSecond = usualPerSecond, fleet, bodies }: PostsTo): Promise<void> {
  const radios = fleet.map(() => new Radio());
  const nodes = [url, ...otherUrls].map((each) => ({ url: each, connections: new ReadyConnections(each) }));
  const isReady = perSecond > usualPerSecond;
  const ready = isReady
    ? fleet.map(({ token }, index) =>
        Array.from({ length: readyBodies }, () =>
          weftBytes(nodes[index % nodes.length]!.url, token, JSON.stringify(radios[index]!.fields())),
        ),
      )
    : [];
  let next = 0;
  const send = () => {
    const round = Math.floor(next / fleet.length);
    const index = next++ % fleet.length;
    const { ap_id, token } = fleet[index]!;
    const radio = radios[index]!;
    const { url, connections } = nodes[index % nodes.length]!;
    if (isReady) return connections.send(ready[index]![round % readyBodies]!);
    if (to === 'influx') return connections.send(influxBytes(url, ap_id, radio));
    return connections.send(weftBytes(url, token, bodies?.[index] ?? JSON.stringify(radio.fields())));
  };
  let isOver = false;
  parentPort!.once('message', () => {
    isOver = true;
  });
  const start = performance.now();
  const { latencies, failures } = await openLoop(send, perSecond, () => isOver, fleet.length);
  const elapsed = (performance.now() - start) / 1000;
  for (const { connections } of nodes) connections.close();
  const posted: Posted = {
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    failures,
    perSecond: latencies.length / elapsed,
  };
  parentPort!.postMessage(posted);
}

function weftBytes(url: string, token: string, body: string): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${url}/api/v1/agent_update/update`, headers, body);
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
        socket.off('close', onClose);
        this.#idle.push(socket);
        resolve(received[9] === 0x32);
      };
      const onClose = () => reject(new Error('the connection was closed before the answer'));
      socket.on('data', onData);
      socket.once('close', onClose);
      socket.write(bytes);
    });
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    this.#all.add(socket);
    // The server closes what has been idle for long.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#all.delete(socket);
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return socket;
  }
}

if (!isMainThread) await post(workerData);
