// Ten thousand agents come back after a restart (L7): with tokens that are good, and with none.
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { prepareFleet } from '../bench/harness/fleet.ts';
import { toGeneratedHash } from '../controller/src/core/accounts/agents/agent-password.ts';
import { PasswordHasher } from '../controller/src/core/base/password-hasher.ts';
import type { FleetNews, FleetOrders } from './fleet-client.ts';
import { password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const count = Number(process.env.WEFT_TEST_FLEET ?? 10_000);
const processes = 3;

class Clients {
  readonly #children: ChildProcess[] = [];
  readonly #news: FleetNews[] = [];

  start(orders: Omit<FleetOrders, 'localAddress'>): void {
    for (let index = 0; index < processes; index++) {
      const child = fork(join(import.meta.dirname, 'fleet-client.ts'), { serialization: 'advanced' });
      onTestFinished(() => void child.kill('SIGKILL'));
      child.on('message', (news: FleetNews) => {
        this.#news[index] = news;
      });
      const agents = orders.agents.filter((_, n) => n % processes === index);
      child.send({ ...orders, agents, localAddress: `127.0.0.${index + 2}` } satisfies FleetOrders);
      this.#children.push(child);
    }
  }

  get served(): number {
    return this.#news.reduce((sum, { served }) => sum + served, 0);
  }

  get all(): FleetNews[] {
    return this.#news;
  }
}

async function secondsUntil(isSo: () => boolean, limitSeconds: number): Promise<number> {
  const startedAt = performance.now();
  while (!isSo()) {
    if (performance.now() - startedAt > limitSeconds * 1000) return Number.POSITIVE_INFINITY;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return (performance.now() - startedAt) / 1000;
}

/** How long somebody else waits meanwhile: p99 in milliseconds when it is stopped. */
function watchHealth(weft: WeftServer): { stop: () => Promise<number> } {
  const delays: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const askedAt = performance.now();
      expect((await weft.request('GET', '/healthz')).status).toBe(200);
      delays.push(performance.now() - askedAt);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return delays.sort((a, b) => a - b)[Math.floor(delays.length * 0.99)]!;
    },
  };
}

function residentMb({ child }: WeftServer): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
}

test(`${count} agents are served within a minute of a restart, with tokens and without; those with chosen passwords are asked to wait`, {
  timeout: 600_000,
}, async () => {
  const WEFT_DATA_DIR = temporaryFolder();
  const agents = await prepareFleet(WEFT_DATA_DIR, count);
  const database = new DatabaseSync(join(WEFT_DATA_DIR, 'weft.db'));
  database.prepare('UPDATE agents SET password_hash = ?').run(toGeneratedHash(password));
  database.close();
  const env = { WEFT_DATA_DIR, WEFT_MAX_AGENTS: String(2 * count) };
  const first = await serve({ env });
  const clients = new Clients();
  clients.start({ url: first.url, password, agents });
  expect(await secondsUntil(() => clients.served === count, 120)).toBeLessThan(120);

  await first.end('SIGKILL');
  await secondsUntil(() => clients.served === 0, 30);
  const second = await serve({ env: { ...env, WEFT_PORT: new URL(first.url).port } });
  const seconds = await secondsUntil(() => clients.served === count, 60);
  process.stdout.write(
    `${count} agents served ${seconds.toFixed(1)} s after a restart, ${residentMb(second).toFixed(0)} MB\n`,
  );
  expect(seconds).toBeLessThanOrEqual(60);

  // Another secret: no token is good any more.
  const another = () => ({ WEFT_PORT: new URL(first.url).port, WEFT_SECRET: randomBytes(32).toString('base64') });
  await second.end();
  await secondsUntil(() => clients.served === 0, 30);
  const third = await serve({ env: { ...env, ...another() } });
  const watched = watchHealth(third);
  const without = await secondsUntil(() => clients.served === count, 60);
  const health = await watched.stop();
  process.stdout.write(
    `without tokens: ${count} served after ${without.toFixed(1)} s, healthz p99 ${health.toFixed(0)} ms, ${residentMb(third).toFixed(0)} MB\n`,
  );
  expect(without).toBeLessThanOrEqual(60);
  expect(health).toBeLessThanOrEqual(100);

  // Passwords that somebody chose take a slow hash each: whoever waits is told how long.
  await third.end();
  await secondsUntil(() => clients.served === 0, 30);
  const chosen = new DatabaseSync(join(WEFT_DATA_DIR, 'weft.db'));
  chosen.prepare('UPDATE agents SET password_hash = ?').run(await new PasswordHasher().hash(password));
  chosen.close();
  const fourth = await serve({ env: { ...env, ...another() } });
  const slow = watchHealth(fourth);
  await secondsUntil(() => false, 45);
  const p99 = await slow.stop();
  const statuses = new Set(clients.all.flatMap((news) => Object.keys(news.statuses)));
  const retryAfters = new Set(clients.all.flatMap((news) => Object.keys(news.retryAfters)));
  process.stdout.write(
    `with chosen passwords: ${clients.served} served in 45 s, healthz p99 ${p99.toFixed(0)} ms, ${residentMb(fourth).toFixed(0)} MB, Retry-After ${[...retryAfters].join(', ')} s\n`,
  );
  expect([...statuses].filter((status) => !['200', '401', '429', '503'].includes(status))).toEqual([]);
  expect(clients.all.reduce((sum, news) => sum + news.withoutRetryAfter, 0)).toBe(0);
  expect(retryAfters.size).toBeGreaterThan(1);
  expect(clients.served).toBeGreaterThan(100);
  expect(residentMb(fourth)).toBeLessThan(1500);
  await fourth.end();
});
