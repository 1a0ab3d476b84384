// What a narrow app learns about callers and access points that it may not see: nothing, from any answer about commands.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';

const marker = 'zz-hidden';
let weft: TestWeft;
let admin: string;
let narrow: string;
let wide: string;
let hidden: string;
let openAgent: string;

const groups = ['reject', 'queue', 'last', 'merge'] as const;

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  narrow = await weft.app('narrow', { agents: ['open-*'] });
  wide = await weft.app('wide');
  hidden = await weft.app(`${marker}-app`, { agents: [`${marker}-*`] });
  const place = (step: number) => ({ access_point_type: 'WiFi', geolocation: { lat: 60, long: 24 + step } });
  openAgent = await weft.agent('open-1', place(0));
  await weft.agent(`${marker}-1`, {
    ...place(0.0002),
    commands: groups.map((name) => ({ name: `${marker}_${name}`, parameter: name })),
  });
  const rules = (await weft.request('GET', '/api/v1/conflicts/rules', { token: admin })).body;
  const group = (name: string, more: object) => ({
    ...{ name: `g_${name}`, parameters: [name], scope: 'neighbours', min_interval_ms: 0, hold_s: 600 },
    ...more,
  });
  const own = [
    group('reject', { policy: 'first_wins' }),
    group('queue', { policy: 'first_wins', loser: 'queue', hold_s: 1 }),
    group('last', { policy: 'last_wins' }),
    group('merge', { policy: 'merge', merge: 'mean' }),
  ];
  const oscillation = { ...rules.oscillation, freeze_s: 0 };
  const json = { ...rules, groups: own, oscillation };
  expect((await weft.request('PUT', '/api/v1/conflicts/rules', { token: admin, json })).status).toBe(200);
});
afterAll(() => weft.stop());

type Group = (typeof groups)[number];

const ask = (token: string, ap_id: string, name: string, v: number, more: Record<string, string> = {}) =>
  weft.request(
    'POST',
    `/api/v1/send_command?${new URLSearchParams({ agent_id: ap_id, command: JSON.stringify({ name, v }), ...more })}`,
    { token },
  );
const askHidden = (group: Group, v: number) => ask(hidden, `${marker}-1`, `${marker}_${group}`, v);
const batch = (token: string, name: string, v: number, dry_run: boolean) =>
  weft.request('POST', '/api/v1/commands/batch', {
    token,
    json: { agents: ['open-1'], command: { name, v }, dry_run },
  });

/** Every answer about commands that a caller can get, as text. */
async function walk(token: string): Promise<string[]> {
  const texts: string[] = [];
  const get = async (path: string) => {
    const { text, body } = await weft.request('GET', path, { token });
    texts.push(`${path} ${text}`);
    return body;
  };
  const commands = await get('/api/v1/commands?limit=200');
  for (const { command_id, job_number } of commands.slice(0, 20)) {
    await get(`/api/v1/commands/${command_id}`);
    await get(`/api/v1/jobs/${job_number}`);
  }
  await get('/api/v1/jobs');
  await get('/api/v1/conflicts?limit=200');
  await get('/api/v1/conflicts?reason=held_in_group');
  await get('/api/v1/conflicts/rules');
  await get('/api/v1/audit');
  const asked = `${marker}-1`;
  expect((await weft.request('GET', `/api/v1/conflicts?agent=${asked}`, { token: narrow })).body.conflicts).toEqual([]);
  return texts;
}

// First: what the others leave behind would decide it.
test('what was stored before names were left out is shown without them', async () => {
  await askHidden('queue', 1);
  const { body } = await ask(narrow, 'open-1', 'queue', 2);
  expect(body.verdict).toBe('queued');
  const detail = `app ${marker}-app holds queue of ${marker}-1 until later`;
  await weft.platform.database.query('UPDATE commands SET detail = ? WHERE command_id = ?', [detail, body.command_id]);
  const { text } = await weft.request('GET', `/api/v1/commands/${body.command_id}`, { token: narrow });
  expect(text).not.toContain(marker);
});

test('the loser against a rival that it cannot see is told that there is one, and until when', async () => {
  expect((await askHidden('reject', 1)).status).toBe(200);
  const until = expect.stringMatching(/^\d{4}-/);
  const rival = { command_id: '', caller_kind: '', caller_name: 'another caller', ap_id: '', parameter: '', until };
  const { status, body, headers, text } = await ask(narrow, 'open-1', 'reject', 2);
  expect([status, body]).toMatchObject([409, { reason: 'held_in_group', rival, lease_until: until }]);
  expect(body.detail).toMatch(/^another caller holds an access point nearby until /);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(100);
  expect(text).not.toContain(marker);
  expect((await ask(narrow, 'open-1', 'reject', 2, { dry_run: 'true' })).body.rival).toEqual(rival);
  for (const isDry of [true, false]) {
    expect((await batch(narrow, 'reject', 2, isDry)).body.targets[0]).toMatchObject({ verdict: 'rejected', rival });
  }
});

test('who may see the rival is told who it is', async () => {
  const { body } = await ask(wide, 'open-1', 'reject', 2);
  expect(body.rival).toMatchObject({ caller_name: `${marker}-app`, ap_id: `${marker}-1`, parameter: 'reject' });
});

test('no answer to a narrow app, or to an agent, has a name that it may not see', async () => {
  const step = fc.record({
    who: fc.constantFrom('hidden', 'narrow', 'dry', 'batch', 'dry batch', 'cancel', 'answer'),
    group: fc.constantFrom(...groups),
    v: fc.integer({ min: 1, max: 4 }),
  });
  const texts: string[] = [];
  let rivals = 0;
  const keep = ({ text }: { text: string }) => {
    if (text.includes('another caller')) rivals += 1;
    texts.push(text);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 20 }), async (steps) => {
      for (const { who, group, v } of steps) {
        if (who === 'hidden') await askHidden(group, v);
        else if (who === 'narrow') keep(await ask(narrow, 'open-1', group, v));
        else if (who === 'dry') keep(await ask(narrow, 'open-1', group, v, { dry_run: 'true' }));
        else if (who === 'batch' || who === 'dry batch') keep(await batch(narrow, group, v, who === 'dry batch'));
        else {
          const [newest] = (await weft.request('GET', '/api/v1/commands?limit=1', { token: narrow })).body;
          if (!newest) continue;
          const path = `/commands/${newest.command_id}`;
          if (who === 'cancel') keep(await weft.request('DELETE', `/api/v1${path}`, { token: narrow }));
          else {
            const json = { state: 'succeeded' };
            keep(await weft.request('POST', `/api/v1/agents/open-1${path}`, { token: openAgent, json }));
          }
        }
      }
      texts.push(...(await walk(narrow)));
      for (const text of texts.splice(0)) expect(text).not.toContain(marker);
    }),
    { numRuns: rounds(8) },
  );
  // It is about something: rivals were met, and those who may see them do.
  expect(rivals).toBeGreaterThan(0);
  expect((await walk(admin)).join('\n')).toContain(marker);
});
