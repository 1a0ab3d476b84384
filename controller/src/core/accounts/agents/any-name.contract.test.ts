// Names of access points in any script: what is created under a name is found, read, commanded, exported and removed under
// it, and under every other way to compose its letters.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nameKey, readApId } from '../../../../../contract/src/core/functions/ap-id.ts';
import { rounds } from '../../../../../test/rounds.ts';
import { password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { fleetHead, raiseRevision } from '../../base/storage/table-revision.ts';

let weft: TestWeft;
let admin: string;
const agents = '/api/v1/agents/';
const create = (ap_id: string) =>
  weft.request('POST', agents, { token: admin, json: { ap_id, password, configuration: {} } });

beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

/** One request for everything that carries a name, all of which must find it. */
async function walk(name: string): Promise<void> {
  const stored = name.normalize('NFC');
  const path = agents + encodeURIComponent(name);
  const query = (more: Record<string, string>) => new URLSearchParams(more);
  const ok = async (method: string, url: string, input: Parameters<TestWeft['request']>[2]) => {
    const answer = await weft.request(method, url, input);
    expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300);
    return answer;
  };
  expect((await create(name)).body).toMatchObject({ ap_id: stored });
  expect((await ok('GET', path, { token: admin })).body.ap_id).toBe(stored);
  const agent = await weft.login('agent', name);
  await ok('GET', path, { token: agent });
  await ok('PUT', path, { token: agent, json: { configuration: { floor: 1 } } });
  await ok('PATCH', `${path}/labels`, { token: admin, json: { tags: ['walked'] } });

  await ok('POST', '/api/v1/agent_update/update', { token: agent, json: { ap_id: name, rssi: 5 } });
  const measurement = `agent/${name}/data`.replaceAll(' ', '\\ ');
  await ok('POST', `/write?${query({ agent: name })}`, { token: agent, body: `${measurement} snr=7` });
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  await ok('POST', '/write', { headers: { authorization: `Basic ${basic}` }, body: 'line value=1' });
  const data = (await ok('GET', `/api/v1/metrics/agent_data?${query({ agent: name })}`, { token: agent })).body;
  expect([data.key, data.agent_id]).toEqual([`agent/${stored}/data`, stored]);
  const fields = new Set(data.points.flatMap(Object.keys));
  expect([...fields].sort()).toEqual(['line_value', 'rssi', 'snr', 'ts']);
  const latest = await ok('GET', `/api/v1/metrics/latest?${query({ agents: name })}`, { token: admin });
  expect(latest.body.agents.map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual([stored]);
  const exported = await ok('GET', `/api/v1/metrics/export?${query({ agent: name })}`, { token: admin });
  expect(exported.text.split('\n')[0]).toContain('rssi');
  const file = /filename\*=UTF-8''([^;]+)|filename="([^"]+)"/.exec(
    exported.headers.get('content-disposition')!.split('; ').at(-1)!,
  )!;
  expect(decodeURIComponent(file[1] ?? file[2]!)).toBe(`weft-${stored}.csv`);

  const listed = async (selector: string, token: string) =>
    (await ok('GET', `${agents}?${query({ selector })}`, { token })).body.items.map(
      (one: { ap_id: string }) => one.ap_id,
    );
  expect(await listed(`name:${JSON.stringify(name)}`, admin)).toEqual([stored]);
  const letters = [...stored];
  const first = letters[0]!.normalize('NFD');
  expect(await listed(`name:${JSON.stringify(`${first}*`)} tag:walked`, admin)).toContain(stored);
  const app = await weft.app(`of ${stored}`.slice(0, 100).trim(), {
    agents: [`${letters.slice(0, -1).join('')}?`, name],
  });
  expect(await listed('tag:walked', app)).toEqual([stored]);

  const command = await ok('POST', `/api/v1/send_command?${query({ agent_id: name, command: 'blink' })}`, {
    token: app,
  });
  const [due] = (await ok('GET', `${path}/commands?wait=5`, { token: agent })).body;
  expect(due.command_id).toBe(command.body.command_id);
  await ok('POST', `${path}/commands/${due.command_id}`, { token: agent, json: { state: 'succeeded' } });
  await ok('POST', '/api/v1/commands/batch', { token: admin, json: { agents: [name], command: 'blink 2' } });
  const sent = (await ok('GET', `/api/v1/commands?${query({ agent: name })}`, { token: admin })).body;
  expect(sent.slice(0, 2).map(({ ap_id }: { ap_id: string }) => ap_id)).toEqual([stored, stored]);

  const events = await ok('GET', `/api/v1/events?${query({ agent: name })}`, { token: admin });
  expect(events.body.items.length, 'its events').toBeGreaterThan(0);
  await ok('DELETE', path, { token: admin });
  expect((await weft.request('GET', path, { token: admin })).status).toBe(404);
  await ok('DELETE', `/api/v1/third_party_apps/${encodeURIComponent(`of ${stored}`.slice(0, 100).trim())}`, {
    token: admin,
  });
}

test.each([
  ['a space', 'AP 1'],
  ['a line below', '_ap'],
  ['an umlaut', 'äp'],
  ['composed in another way', 'cafe\u0301 Å\u030a'],
  ['signs', 'a+b@c:d.e-f'],
  ['Chinese', '屋顶 一号'],
  ['Arabic', 'سقف ١'],
  ['Hindi', 'छत १'],
  ['beyond the first plane', '𐐀𠀀 x𐐨'],
  ['as long as may be', '屋'.repeat(128)],
])('%s', (_, name) => walk(name));

test('any name', async () => {
  const letter = fc.oneof(
    fc.constantFrom(...'aZ0._:@+é屋سछก٣𐐀'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).filter((text) => readApId(`a${text}`) !== undefined),
  );
  const word = fc.array(letter, { minLength: 1, maxLength: 5 }).map((letters) => letters.join(''));
  const name = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words) => words.join(' '))
    .filter((text) => readApId(text) !== undefined && readApId(text.normalize('NFD')) !== undefined);
  await fc.assert(
    fc.asyncProperty(name, fc.boolean(), (text, isTaken) => walk(isTaken ? text.normalize('NFD') : text)),
    { numRuns: rounds(8) },
  );
});

describe('is refused', () => {
  test.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a line end', 'a\nb'],
    ['a space at the end', 'a '],
    ['a space at the beginning', ' a'],
    ['two spaces', 'a  b'],
    ['another space', 'a\u00a0b'],
    ['nothing to see', 'a\u200bb'],
    ['a letter that nobody sees', 'a\u3164b'],
    ['a mark that nobody sees', 'a\ufe0fb'],
    ['a hyphen first', '-a'],
    ['quotes', 'a"b'],
    ['a star', 'a*'],
    ['too much', '屋'.repeat(129)],
  ])('%s', async (_, name) => {
    const { status, body } = await create(name);
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'ap_id']]);
  });
});

test.each([
  ['other letters', 'Roof-1', 'roof-1'],
  ['another width', 'Ｒoof-2', 'roof-2'],
  ['a sharp s', 'STRASSE', 'straße'],
  ['a plus sign', 'a+b', 'a b'],
  ['a ligature', 'ﬁrst', 'FIRST'],
])('a new name that looks like another is a conflict: %s', async (_, first, second) => {
  expect((await create(first)).status).toBe(200);
  const { status, body } = await create(second);
  expect([status, body.code]).toEqual([409, 'agent_exists']);
  expect((await weft.request('DELETE', agents + encodeURIComponent(first), { token: admin })).status).toBe(200);
  expect((await create(second)).status).toBe(200);
});

test('names that are alike and exist already stay, and a new one is compared with them', async () => {
  const { database } = weft.platform;
  await create('older-1');
  await create('older-2');
  // As an older version has left them: the view of the network is told, as it is of every change.
  await database.transaction(async (tx) => {
    const revision = await raiseRevision(tx, fleetHead);
    await tx.query("UPDATE agents SET ap_id = 'OLDER-1', revision = ? WHERE ap_id = 'older-2'", [revision]);
    await tx.query("UPDATE agents SET name_key = NULL WHERE ap_id IN ('older-1', 'OLDER-1')");
  });
  await weft.parts.agents.prepare();
  for (const name of ['older-1', 'OLDER-1']) {
    expect((await weft.request('GET', agents + name, { token: admin })).status).toBe(200);
  }
  expect((await create('Older-1')).status).toBe(409);
});

test('what names are compared by is the same for all spellings of one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const key = nameKey(text);
      for (const other of [text.normalize('NFD'), text.normalize('NFC'), text.toUpperCase()])
        expect(nameKey(other)).toBe(key);
    }),
  );
});
