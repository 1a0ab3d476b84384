// Tokens that nobody issued, or not like this: forged, altered, incomplete, out of their time, or sent in other ways.
import { createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { readOrCreateSecret } from '../../base/secret-file.ts';
import { Keyring } from '../../base/secrets.ts';

type Claims = Record<string, unknown>;
type Signer = (signed: string) => Buffer;

let weft: TestWeft;
let token: string;
let claims: Claims;
let key: Uint8Array;

beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
  claims = decode(token.split('.')[1]!);
  key = new Keyring(readOrCreateSecret(weft.config.dataDir)).tokenKeys[0]!;
});
afterAll(() => weft.stop());
afterEach(() => {
  vi.useRealTimers();
});

function decode(part: string): Claims {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function hmac(withKey: Uint8Array | string, hash = 'sha256'): Signer {
  return (signed) => createHmac(hash, withKey).update(signed).digest();
}

function forge(payload: Claims, header: Claims = { alg: 'HS256', typ: 'JWT' }, signer: Signer = hmac(key)): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${signer(signed).toString('base64url')}`;
}

function without(name: string): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name));
}

async function statusOf(bearer: string): Promise<number> {
  return (await weft.request('GET', '/api/v1/users/', { token: bearer })).status;
}

async function statusWith(headers: Record<string, string>, query = ''): Promise<number> {
  return (await weft.request('GET', `/api/v1/users/${query}`, { headers })).status;
}

const now = () => Math.floor(Date.now() / 1000);

describe('a token', () => {
  it('holds the published claims, and opens its door for the time it says', async () => {
    const answer = await weft.request('POST', '/api/v1/token/?login_type=user', {
      form: { username: adminUsername, password },
    });
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 3600 });
    const [header = '', payload = ''] = answer.body.access_token.split('.');
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const { iss, sub, scope, roles, iat, exp, jti, ver, ...others } = decode(payload);
    expect({ iss, sub, scope, roles }).toEqual({ iss: 'weft', sub: adminUsername, scope: 'user', roles: ['admin'] });
    expect([typeof jti, typeof ver]).toEqual(['string', 'string']);
    expect(exp).toBe((iat as number) + 3600);
    expect(Math.abs((iat as number) - now())).toBeLessThan(5);
    expect(others).toEqual({});
    expect(jti).not.toBe(claims.jti);
  });

  it('can be made again with the key of the installation, which the cases below rely on', async () => {
    expect(await statusOf(forge({ ...claims, jti: randomUUID() }))).toBe(200);
  });
});

describe('a forged token is refused', () => {
  it.each(['none', 'None', 'NONE', 'nOnE', '', undefined, null, ['HS256']])(
    'with the algorithm %j (T1)',
    async (alg) => {
      const [header, payload] = [encode({ alg, typ: 'JWT' }), encode(claims)];
      const signature = hmac(key)(`${header}.${payload}`).toString('base64url');
      for (const third of ['', signature, token.split('.')[2]]) {
        expect(await statusOf(`${header}.${payload}.${third}`), third).toBe(401);
      }
      expect(await statusOf(`${header}.${payload}`)).toBe(401);
    },
  );

  it('with any single bit of its signature flipped (T2)', async () => {
    const [header, payload, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const statuses = new Set<number>();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      statuses.add(await statusOf(`${header}.${payload}.${flipped.toString('base64url')}`));
    }
    expect([...statuses]).toEqual([401]);
  });

  it('with the end of a token that is in use behind other claims (T2)', async () => {
    expect(await statusOf(token)).toBe(200);
    const [header, , signature] = token.split('.');
    expect(await statusOf(`${header}.${encode({ ...claims, sub: 'somebody@example.org' })}.${signature}`)).toBe(401);
    expect(await statusOf(token.slice(-22))).toBe(401);
    expect(await statusOf(token)).toBe(200);
  });

  it('without its signature, with half of it, or with too many parts (T2)', async () => {
    const [header, payload, signature = ''] = token.split('.');
    for (const bad of [
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature.slice(0, 22)}`,
      `${token}.`,
      `${token}.${signature}`,
      `.${payload}.${signature}`,
      '..',
      '.',
    ]) {
      expect(await statusOf(bad), bad).toBe(401);
    }
  });

  it.each(['HS384', 'HS512', 'RS256', 'ES256', 'PS256', 'EdDSA', 'hs256'])('when it claims %s (T2)', async (alg) => {
    const header = { alg, typ: 'JWT' };
    expect(await statusOf(forge(claims, header))).toBe(401);
    const hash = alg.endsWith('384') ? 'sha384' : 'sha512';
    expect(await statusOf(forge(claims, header, hmac(key, hash)))).toBe(401);
  });

  it('when another key signed it: an empty one, a public word, the secret as it is, or a key of the sender (T4)', async () => {
    const secret = readOrCreateSecret(weft.config.dataDir);
    for (const bad of ['', 'secret', 'weft', secret, Buffer.from(secret, 'base64url')]) {
      expect(await statusOf(forge(claims, undefined, hmac(bad)))).toBe(401);
    }
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    const rsa: Signer = (signed) => sign('sha256', Buffer.from(signed), privateKey);
    expect(await statusOf(forge(claims, { alg: 'RS256', typ: 'JWT', jwk }, rsa))).toBe(401);
    const oct = { kty: 'oct', k: Buffer.from('chosen by the sender').toString('base64url') };
    expect(await statusOf(forge(claims, { alg: 'HS256', typ: 'JWT', jwk: oct }, hmac('chosen by the sender')))).toBe(
      401,
    );
  });

  it.each([
    { kid: '../../../../dev/null' },
    { kid: "' or 1=1 --" },
    { jku: 'http://127.0.0.1:9/keys' },
    { x5u: 'http://127.0.0.1:9/cert' },
  ])('when its header points to a key elsewhere: %j (T4)', async (extra) => {
    expect(await statusOf(forge(claims, { alg: 'HS256', typ: 'JWT', ...extra }, hmac('')))).toBe(401);
  });

  it('when it demands something of its reader that Weft does not know, or is of another type (T4)', async () => {
    expect(await statusOf(forge(claims, { alg: 'HS256', typ: 'JWT', crit: ['exp'], exp: 1 }))).toBe(401);
    expect(await statusOf(forge(claims, { alg: 'HS256', typ: 'JWT', crit: ['b64'], b64: false }))).toBe(401);
    expect(await statusOf(forge(claims, { alg: 'HS256', typ: 'reset+jwt' }))).toBe(401);
    expect(await statusOf(forge(claims, { alg: 'HS256' }))).toBe(401);
  });
});

describe('a token with the right signature is refused', () => {
  it.each(['iss', 'sub', 'scope', 'iat', 'exp', 'jti', 'ver'])('without the claim %s (T6)', async (name) => {
    expect(await statusOf(forge(without(name)))).toBe(401);
  });

  it.each<[string, unknown]>([
    ['iss', 'another'],
    ['sub', 'nobody@weft.test'],
    ['sub', ''],
    ['sub', [adminUsername]],
    ['scope', 'admin'],
    ['scope', 'toString'],
    ['scope', ['user']],
    ['exp', 'tomorrow'],
    ['exp', null],
    ['iat', 'today'],
    ['jti', 7],
    ['ver', null],
    ['ver', 'another'],
    ['ver', ''],
  ])('with the claim %s as %j (T6)', async (name, value) => {
    expect(await statusOf(forge({ ...claims, [name]: value }))).toBe(401);
  });

  it('whose claims are no object (T6)', async () => {
    for (const payload of [[], null, 'text', 7]) expect(await statusOf(forge(payload as never))).toBe(401);
  });

  it('before its time and after it, to the second (T5)', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: now() * 1000 });
    const at = now();
    for (const [change, status] of [
      [{ exp: at }, 401],
      [{ exp: at - 7200 }, 401],
      [{ exp: at + 1 }, 200],
      [{ iat: at + 30 }, 200],
      [{ iat: at + 31 }, 401],
      [{ nbf: at }, 200],
      [{ nbf: at + 31 }, 401],
    ] as const) {
      expect(await statusOf(forge({ ...claims, ...change })), JSON.stringify(change)).toBe(status);
    }
  });

  it('once its hour is over, even if it was good a moment ago (T5)', async () => {
    const fresh = await weft.login('user', adminUsername);
    const { exp } = decode(fresh.split('.')[1]!) as { exp: number };
    expect(await statusOf(fresh)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: exp * 1000 - 1 });
    expect(await statusOf(fresh)).toBe(200);
    vi.setSystemTime(exp * 1000);
    expect(await statusOf(fresh)).toBe(401);
    vi.setSystemTime((exp + 7200) * 1000);
    expect(await statusOf(fresh)).toBe(401);
  });
});

describe('the Authorization header', () => {
  it.each(['Bearer', 'Bearer ', 'Basic', '', 'Token TOKEN', 'TOKEN', 'BearerTOKEN', 'Bearer TOKEN TOKEN'])(
    'is refused as %j (T13)',
    async (text) => {
      expect(await statusWith({ authorization: text.replaceAll('TOKEN', token) })).toBe(401);
    },
  );

  it('is refused with two tokens and a comma between, and with Basic credentials (T13)', async () => {
    expect(await statusWith({ authorization: `Bearer ${token}, Bearer ${token}` })).toBe(401);
    const basic = Buffer.from(`${adminUsername}:${password}`).toString('base64');
    expect(await statusWith({ authorization: `Basic ${basic}` })).toBe(401);
  });

  it('takes its scheme in any case', async () => {
    expect(await statusWith({ authorization: `bearer ${token}` })).toBe(200);
    expect(await statusWith({ authorization: `BEARER ${token}` })).toBe(200);
  });

  it('is the only place for a token: neither the query nor a cookie counts (T13)', async () => {
    for (const name of ['access_token', 'token', 'authorization']) {
      expect(await statusWith({}, `?${name}=${token}`), name).toBe(401);
    }
    expect(await statusWith({ cookie: `access_token=${token}; token=${token}` })).toBe(401);
  });

  it('of 60 KB is answered with 431, and nobody else is disturbed (T15)', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${'x'.repeat(60_000)}` };
      httpRequest(`${weft.url}/api/v1/users/`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(431);
    expect(await statusOf(token)).toBe(200);
    expect(await statusOf('x'.repeat(10_000))).toBe(401);
  });
});
