// One order everywhere: the first place at which something is shown decides, whatever stands at the others.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemeOf, shownBy } from '../../../../../test/pure/shown.ts';
import { rounds } from '../../../../../test/rounds.ts';
import type { Caller } from '../../base/caller.ts';
import type { Shown } from '../../base/credential.ts';
import type { AuthenticationError } from '../../base/errors.ts';
import { everyCaller } from '../../base/rights/permission.ts';
import { CredentialReader, type CredentialRoute } from './credentials.ts';

const agent: Caller = { kind: 'agent', id: '1', name: 'ap-1' };
const texts = new Map<Shown, string>();
const note = (form: string) => (text: string) => {
  const shown = shownBy(agent);
  texts.set(shown, `${form} ${text}`);
  return text.startsWith('stranger') ? undefined : shown;
};
const schemes = [
  schemeOf((text) => (text.startsWith('other_') ? shownBy(agent) : undefined)),
  schemeOf(note('bearer')),
  { ...schemeOf(note('basic'), 'basic'), only: 'agent_password' as const },
];

interface Places {
  header?: string | undefined;
  protocol?: string | undefined;
  query?: string | undefined;
}

/** What was read: a text, `nothing`, `unknown` (refused once it is asked), or the code of the refusal. */
function readFrom(route: Omit<CredentialRoute, 'permission'>, { header, protocol, query }: Places): string {
  const headers = { authorization: header, 'sec-websocket-protocol': protocol };
  const request = { headers, raw: { url: `/x${query === undefined ? '' : `?${query}`}` }, ip: '127.0.0.1' };
  try {
    const reader = new CredentialReader({ permission: everyCaller, ...route }, schemes);
    const shown = reader.read(request as never);
    return shown ? (texts.get(shown) ?? shown.scheme) : 'nothing';
  } catch (error) {
    return (error as AuthenticationError).code;
  }
}

const socket = { tokenInProtocol: true, tokenInQuery: true };
const influx = { takes: 'agent_password' } as const;

test.each<[Omit<CredentialRoute, 'permission'>, Places, string]>([
  [{}, { header: 'Bearer a' }, 'bearer a'],
  [{}, { header: 'bEARER   a' }, 'bearer a'],
  [{}, { protocol: 'weft.v1, bearer.b', query: 'token=c' }, 'nothing'],
  [{}, { header: 'Basic YTpi' }, 'not_authenticated'],
  [{}, { header: 'Token a' }, 'not_authenticated'],
  [{}, { header: 'Bearer a, Bearer b' }, 'not_authenticated'],
  [{}, { header: 'Bearer stranger' }, 'unknown'],
  [{}, { header: 'Bearer other_a' }, 'test'],
  [socket, { protocol: 'weft.v1, bearer.b' }, 'bearer b'],
  [socket, { protocol: 'bearer.b, bearer.c' }, 'not_authenticated'],
  [socket, { protocol: 'bearer.' }, 'not_authenticated'],
  [{ tokenInQuery: true }, { query: 'access_token=b&token=a&token=c' }, 'bearer c'],
  [influx, { header: 'Basic YTpi' }, 'basic a:b'],
  [influx, { header: 'Token a:b' }, 'basic a:b'],
  [influx, { header: 'Token a' }, 'bearer a'],
  [influx, { query: 'u=a&p=b' }, 'basic a:b'],
  [influx, { query: 'u=a' }, 'nothing'],
  [{ takes: 'app_key' }, { header: 'Basic YTpi' }, 'unknown'],
  [{ takes: 'app_key' }, { header: 'Token a' }, 'not_authenticated'],
])('on a route with %j, %j is read as %s', (route, places, expected) => {
  expect(readFrom(route, places)).toBe(expected);
});

test('nothing falls through: what stands at a later place changes nothing, whether the first is right or wrong', () => {
  const first = fc.constantFrom('Bearer a', 'Bearer stranger', 'Bearer ', 'Basic YTpi', '');
  const protocol = fc.constantFrom(undefined, 'weft.v1, bearer.b', 'bearer.stranger');
  const query = fc.constantFrom(undefined, 'token=c', 'token=stranger', 'access_token=c');
  fc.assert(
    fc.property(first, protocol, query, (header, offered, search) => {
      const alone = readFrom(socket, { header });
      expect(readFrom(socket, { header, protocol: offered, query: search })).toBe(alone);
      const withoutHeader = readFrom(socket, { protocol: offered });
      if (offered !== undefined) expect(readFrom(socket, { protocol: offered, query: search })).toBe(withoutHeader);
    }),
    { numRuns: rounds(100) },
  );
});

test('no other file looks where a credential may stand', () => {
  const root = join(import.meta.dirname, '../../..');
  const place = /\bauthorization\b|sec-websocket-protocol/;
  // These only hand on the header, name it to browsers and the log, or leave it out of what is logged.
  const others = ['http/direct/post-head.ts', 'http/server/security-headers.ts', 'http/request/log.ts'];
  const readers = globSync('**/*.ts', { cwd: root })
    .filter((path) => !/test\.ts$/.test(path) && !others.some((other) => path.endsWith(other)))
    .filter((path) => place.test(readFileSync(join(root, path), 'utf8')));
  expect(readers).toEqual(['core/http/request/credentials.ts']);
});
