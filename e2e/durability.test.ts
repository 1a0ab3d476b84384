// 200 means durable: what was answered before a SIGKILL is so after the next start.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isLong } from '../test/rounds.ts';
import { serve as serveHere } from './weft-here.ts';
import { password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

const kinds = [
  { path: '/api/v1/users/', name: (n: string) => `u${n}@example.org`, record: userRecord },
  { path: '/api/v1/agents/', name: (n: string) => `ap-${n}`, record: agentRecord },
  { path: '/api/v1/third_party_apps/', name: (n: string) => `app-${n}`, record: appRecord },
];

function userRecord(username: string) {
  return { username, password, roles: ['user'] };
}
function agentRecord(ap_id: string) {
  return { ap_id, password, configuration: { site: ap_id } };
}
function appRecord(app_name: string) {
  return { app_name, api_key: `key of ${app_name}`, permissions: {} };
}

test('R10 what was created exists and what was deleted stays gone, round after round of SIGKILL', async () => {
  const folder = temporaryFolder();
  /** Paths by what a look at them must answer. */
  const expected = new Map<string, 200 | 404>();
  const env = { WEFT_DATA_DIR: join(folder, 'data') };
  let server = await serve({ folder, env });
  const token = await server.createAdmin();
  const rounds = isLong ? 4 : 2;

  for (let round = 0; round < rounds; round++) {
    let answered = 0;
    const enough = Promise.withResolvers<void>();
    const note = (path: string, status: 200 | 404 | undefined) => {
      if (status === undefined) expected.delete(path);
      else expected.set(path, status);
      answered += 1;
      if (answered === 30 + 10 * round) enough.resolve();
    };
    const churning = kinds.map((kind) => churn(server, token, kind, round, note));
    await Promise.race([enough.promise, ...churning]);
    await server.end('SIGKILL');
    await Promise.all(churning);

    // The last start is not killed, and needs no process.
    const isLast = round === rounds - 1;
    if (!isLast) server = await serve({ folder, env });
    const weft = isLast ? await serveHere({ env }) : server;
    for (const [path, status] of expected) {
      expect([path, (await weft.request('GET', path, { token })).status]).toEqual([path, status]);
    }
  }
  expect([...expected.values()].filter((status) => status === 404).length).toBeGreaterThan(10);
});

/** Creates without end and deletes every second one, until the server is gone; `note` hears of what was answered. */
async function churn(
  weft: WeftServer,
  token: string,
  { path, name, record }: (typeof kinds)[number],
  round: number,
  note: (path: string, status: 200 | 404 | undefined) => void,
): Promise<void> {
  for (let n = 0; ; n++) {
    const key = name(`${round}-${n}`);
    const created = await weft.request('POST', path, { token, json: record(key) }).catch(() => undefined);
    if (created === undefined) return;
    if (created.status !== 200) throw new Error(`${path} answered ${created.status}`);
    note(path + key, 200);
    if (n % 2 === 0) continue;
    const removed = await weft.request('DELETE', path + key, { token }).catch(() => undefined);
    // Not answered: it may be there or not.
    note(path + key, removed?.status === 200 ? 404 : undefined);
    if (removed === undefined) return;
  }
}
