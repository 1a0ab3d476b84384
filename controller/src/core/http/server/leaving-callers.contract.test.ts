// Whoever leaves takes along what it has asked for: long reads end where they are, and what waits does not begin.
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as Type from '../../../../../contract/src/core/schema/schema.ts';
import { agentsOnly, createBareServer } from '../../../../../test/bare-server.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { askRaw, openRawConnection } from '../../../../../test/raw-connection.ts';
import { CallerGone, giveWay } from '../../base/time-slices.ts';
import type { Route } from '../request/route.ts';

let begun = 0;
const ended: unknown[] = [];

/** Reads for ever. */
async function readOn(): Promise<never> {
  begun++;
  try {
    for (;;) await giveWay();
  } catch (error) {
    ended.push(error);
    throw error;
  }
}

const read = { permission: agentsOnly, tag: 'Telemetry', response: Type.Unknown(), handle: readOn } as const;
const routes: Route[] = [
  { ...read, operation: 'slow', method: 'GET', url: '/slow', summary: 'Slow' },
  { ...read, operation: 'fast', method: 'GET', url: '/fast', summary: 'Fast', fastLane: true },
  { ...read, operation: 'look', method: 'POST', url: '/look', summary: 'Look', changesNothing: true },
];
let app: ReturnType<typeof createBareServer>;
let url: string;
const logged: unknown[] = [];

beforeAll(async () => {
  const log = { error: (...line: unknown[]) => logged.push(line), warn() {}, info() {}, isLevelEnabled: () => false };
  app = createBareServer({ routes, log: log as never });
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  app.closeAllConnections();
  await app.close();
});

it.each(['GET /slow', 'GET /fast', 'POST /look'])('%s', async (what) => {
  begun = 0;
  ended.length = 0;
  const request = `${what} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n`;
  const callers = await Promise.all(Array.from({ length: 20 }, () => openRawConnection(url)));
  for (const caller of callers) caller.send(request);
  await untilSo(() => expect(begun).toBe(1));
  for (const caller of callers) caller.destroy();
  // Some may begin before their ends are known.
  await untilSo(() => expect(ended).toEqual(Array(begun).fill(expect.any(CallerGone))));
  expect((await askRaw(url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')).status).toBe(200);
  expect(logged).toEqual([]);
});
