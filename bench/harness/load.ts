// Ways to put load on a server and to look at what came of it.
import { once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Saturation {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers other than 2xx. */
  failures: number;
}

/**
 * As many requests as `connections` can make, each waiting for its answer. The client writes ready bytes and looks at
 * the status and length of an answer only, so that the server is what is measured. `request` is asked for the bytes of
 * each request, with a count.
 */
export async function saturate(
  url: string,
  request: (count: number) => Buffer,
  seconds: number,
  connections = 64,
): Promise<Saturation> {
  const { hostname, port } = new URL(url);
  const latencies: number[] = [];
  let count = 0;
  let failures = 0;
  const end = performance.now() + seconds * 1000;
  const start = performance.now();
  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let sentAt = 0;
      let received: Buffer = Buffer.alloc(0);
      const next = () => {
        sentAt = performance.now();
        if (sentAt >= end) socket.end();
        else socket.write(request(count++));
      };
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const size = answerSize(received);
        if (size === undefined || received.length < size) return;
        latencies.push(performance.now() - sentAt);
        if (received[9] !== 0x32) failures++;
        received = received.subarray(size);
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, connection));
  const elapsedSeconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    requestsPerSecond: latencies.length / elapsedSeconds,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    failures,
  };
}

/** One request after the other on one connection, each after a pause. Resolves the sorted latencies of all but the first few. */
export async function oneByOne(
  url: string,
  request: (count: number) => Buffer,
  { count, pauseMs }: { count: number; pauseMs: number },
): Promise<{ latencies: number[] }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const latencies: number[] = [];
  for (let asked = 0; asked < count; asked++) {
    await pause(pauseMs);
    const answered = once(socket, 'data');
    const sentAt = performance.now();
    socket.write(request(asked));
    const [answer] = (await answered) as [Buffer];
    if (answer[9] !== 0x32) throw new Error(`refused: ${answer.toString('latin1', 0, 100)}`);
    if (asked >= 20) latencies.push(performance.now() - sentAt);
  }
  socket.destroy();
  return { latencies: latencies.sort((a, b) => a - b) };
}

/** Bytes of a whole answer, once its headers are there. */
export function answerSize(received: Buffer): number | undefined {
  const headersEnd = received.indexOf('\r\n\r\n');
  if (headersEnd < 0) return undefined;
  const length = /content-length: *(\d+)/i.exec(received.toString('latin1', 0, headersEnd));
  return headersEnd + 4 + Number(length?.[1] ?? 0);
}

/** The bytes of a request. */
export function requestBytes(method: string, url: string, headers: Record<string, string>, body = ''): Buffer {
  const { host, pathname, search } = new URL(url);
  const all = { host, ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/**
 * Sends at a fixed rate whatever the answers do, and measures from the moment a request was due: a server that stalls
 * cannot hide it. Resolves the sorted latencies in milliseconds and how many requests failed. With a number of those that send,
 * none of which sends again before it has its answer, what is due waits while all of them wait.
 */
export async function openLoop(
  send: () => Promise<boolean>,
  perSecond: number,
  until: number | (() => boolean),
  senders = Number.POSITIVE_INFINITY,
): Promise<{ latencies: number[]; failures: number }> {
  const latencies: number[] = [];
  let failures = 0;
  let under = 0;
  const start = performance.now();
  const total = typeof until === 'number' ? perSecond * until : Number.POSITIVE_INFINITY;
  const isOver = typeof until === 'number' ? () => false : until;
  const answered = (dueAt: number, ok: boolean) => {
    under--;
    latencies.push(performance.now() - dueAt);
    if (!ok) failures++;
  };
  const failed = () => {
    under--;
    failures++;
  };
  for (let sent = 0; sent < total && !isOver(); ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * perSecond) / 1000) + 1);
    for (; sent < due && under < senders; sent++, under++) {
      const dueAt = start + (sent * 1000) / perSecond;
      send().then((ok) => answered(dueAt, ok), failed);
    }
    await pause(1);
  }
  while (under > 0) await pause(1);
  latencies.sort((a, b) => a - b);
  return { latencies, failures };
}

/** The nearest rank: as large as that share of them at least. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 2000 });

export interface LightAnswer {
  status: number;
  text: string;
}

/** A request with as little cost on the client's side as node allows. */
export function light(url: string, options: http.RequestOptions = {}, body?: string): Promise<LightAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
