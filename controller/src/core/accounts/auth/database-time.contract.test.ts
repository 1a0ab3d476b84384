// What ends by the time of the database is not removed before that, although retention goes by the clock of the machine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { createParts } from '../../../parts.ts';

const yearMs = 365 * 86_400_000;
let databaseLagMs = yearMs;
let weft: TestWeft;
beforeAll(async () => {
  const now = () => Date.now() - databaseLagMs;
  weft = await startWeft({}, { createParts: (platform, events) => createParts({ ...platform, now }, events) });
});
afterAll(async () => {
  await weft.stop();
});

test('sessions, enrolment tokens and password resets stay until the database says that they have ended', async () => {
  const token = await weft.admin();
  const session = await weft.user('ada@example.org');
  expect((await weft.request('DELETE', '/api/v1/token/', { token: session })).status).toBe(200);
  const json = { ap_id_pattern: 'ap-*' };
  expect((await weft.request('POST', '/api/v1/enrolment_tokens', { token, json })).status).toBe(200);
  const recovery = { username: 'ada@example.org' };
  expect((await weft.request('POST', '/api/v1/users/password-recovery', { json: recovery })).status).toBe(200);
  const tables = ['sessions', 'ended_sessions', 'enrolment_tokens', 'reset_tokens'];
  const counts = async () => {
    const { database } = weft.platform;
    const rows = tables.map((table) => database.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`));
    return (await Promise.all(rows)).map(([row]) => Number(row!.count));
  };
  const remove = async () => {
    const kinds = weft.platform.retention.kinds.filter(({ name }) => tables.includes(name.replace(' ', '_')));
    expect(kinds).toHaveLength(3);
    for (const kind of kinds) await kind.remove(Date.now());
  };
  // Mail is written after the answer.
  await untilSo(async () => expect(Math.min(...(await counts()))).toBeGreaterThan(0));
  const before = await counts();
  await remove();
  expect(await counts()).toEqual(before);
  databaseLagMs = 0;
  await remove();
  expect(await counts()).toEqual([0, 0, 0, 0]);
});
