// The published document: valid, as the specification writes it, and true of the answers that really come.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  additionalProperties?: boolean;
}

interface Operation {
  operationId: string;
  description?: string;
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content: { 'application/json': { schema: Schema } } }>;
  security: Record<string, string[]>[];
  tags: string[];
}

interface OpenApi {
  openapi: string;
  info: { version: string; 'x-product-version': string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { flows?: object }> };
}

let weft: TestWeft;
let token: string;
let document: OpenApi;

beforeAll(async () => {
  weft = await startWeft();
  token = await weft.admin();
  document = (await weft.request('GET', '/openapi.json')).body;
});
afterAll(() => weft.stop());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

function* walk(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const part of Object.values(value)) yield* walk(part);
}

function resolve(schema: Schema): Schema {
  const found = schema.$ref ? document.components.schemas[schema.$ref.replace('#/components/schemas/', '')] : schema;
  if (!found) throw new Error(`${schema.$ref} leads nowhere`);
  return found;
}

/** Where the value is not what the schema says; a member that the schema does not name is wrong too. */
function deviations(given: Schema, value: unknown, at = '$'): string[] {
  const schema = resolve(given);
  if (schema.anyOf) {
    return schema.anyOf.some((branch) => deviations(branch, value, at).length === 0) ? [] : [`${at} fits no branch`];
  }
  if ('const' in schema) return value === schema.const ? [] : [`${at} is not ${schema.const}`];
  if (schema.enum) return schema.enum.includes(value) ? [] : [`${at} is none of ${schema.enum}`];
  if (schema.type === 'array') {
    if (!Array.isArray(value)) return [`${at} is no array`];
    return value.flatMap((item, index) => deviations(schema.items ?? {}, item, `${at}[${index}]`));
  }
  if (schema.type === 'object') {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`];
    const { properties = {}, required = [], additionalProperties = false } = schema;
    const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
    const inside = Object.entries(value).flatMap(([name, member]) => {
      const field = properties[name];
      if (field) return deviations(field, member, `${at}.${name}`);
      return additionalProperties ? [] : [`${at}.${name} is not documented`];
    });
    return [...missing, ...inside];
  }
  if (schema.type === undefined) return [];
  const isType =
    schema.type === 'integer' ? Number.isInteger(value) : (value === null ? 'null' : typeof value) === schema.type;
  return isType ? [] : [`${at} is no ${schema.type}`];
}

describe('the document', () => {
  it('is OpenAPI 3.1 of interface version 1.0.0', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/);
    expect(document.info.version).toBe('1.0.0');
    expect(document.info['x-product-version']).toBe(packageJson.version);
  });

  it('leads nowhere that does not exist, and has nothing that only the schema library understands', () => {
    for (const part of walk(document)) {
      if (typeof part.$ref === 'string') resolve(part);
      expect(Object.keys(part).filter((key) => key.startsWith('~') || key === 'patternProperties')).toEqual([]);
      if (Array.isArray(part.required)) {
        for (const name of part.required) expect(Object.keys(part.properties as object)).toContain(name);
      }
      if (typeof part.pattern === 'string') {
        new RegExp(part.pattern, 'u');
        // Not in the syntax of Python, Go and others.
        expect(part.pattern).not.toMatch(/\\[pP]\{/);
      }
    }
  });

  it('says what permissions of an app mean, with their limits', () => {
    const { permissions } = document.components.schemas.ThirdPartyAppCreate!.properties!;
    expect(permissions).toEqual({ $ref: '#/components/schemas/AppPermissions' });
    const { properties } = document.components.schemas.AppPermissions!;
    expect(Object.keys(properties!)).toEqual(
      expect.arrayContaining(['agents', 'read', 'write', 'commands', 'emulator', 'priority', 'expires_at']),
    );
    expect(JSON.stringify(properties!.commands)).toContain('"max":{"type":"number"}');
  });

  it('gives each operation an id of its own, a known tag, its path parameters and a known kind of security', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { path, operation } of operations()) {
      expect(tags).toEqual(expect.arrayContaining(operation.tags));
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(inPath.every(({ required }) => required)).toBe(true);
      for (const name of operation.security.flatMap(Object.keys)) {
        expect(Object.keys(document.components.securitySchemes)).toContain(name);
      }
    }
  });

  it('has the schemas of the specification under their names', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        ...[
          'Token',
          'TokenData',
          'UserCreate',
          'UserRegister',
          'UserUpdate',
          'PasswordRecoveryRequest',
          'PasswordReset',
        ],
        ...['Agent', 'AgentCreate', 'AgentUpdate', 'ThirdPartyApp', 'ThirdPartyAppCreate', 'ThirdPartyAppUpdate'],
        ...['HTTPValidationError', 'ValidationError'],
      ]),
    );
  });

  it.each([
    ...['1 post /api/v1/token/', '2 post /api/v1/users/public', '3 post /api/v1/users/signup'],
    ...['4 post /api/v1/users/password-recovery', '5 post /api/v1/users/reset-password', '6 get /api/v1/users/'],
    ...['7 post /api/v1/users/', '8 get /api/v1/users/{username}', '9 put /api/v1/users/{username}'],
    ...['10 delete /api/v1/users/{username}', '11 get /api/v1/users/me', '12 post /api/v1/agents/public'],
    ...['13 post /api/v1/agents/', '14 get /api/v1/agents/{ap_id}', '15 put /api/v1/agents/{ap_id}'],
    ...['16 delete /api/v1/agents/{ap_id}', '17 post /api/v1/third_party_apps/'],
    ...['18 get /api/v1/third_party_apps/{app_name}', '19 put /api/v1/third_party_apps/{app_name}'],
    ...['20 delete /api/v1/third_party_apps/{app_name}', '21 post /api/v1/agent_update/update'],
    ...['22 post /api/v1/agent_details/request_all_agents_details', '23 post /api/v1/agent_data/request_agent_data'],
    ...['24 post /api/v1/send_command', '25 post /api/v1/emulator/spinup', '26 get /api/v1/metrics/agent_details'],
    ...['27 get /api/v1/metrics/agent_data', '28 get /api/v1/metrics/agent_multi_metric_data'],
    ...['29 get /api/v1/metrics/agent_metrics', '30 post /api/v1/callback/agent_data'],
    ...['31 post /api/v1/callback/agent_details', '32 post /api/v1/callback/emulator'],
  ])('writes operation %s as the specification does, and in no other form', async (line) => {
    const [number, method = '', path = ''] = line.split(' ');
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
    expect(document.paths[other]).toBeUndefined();
    for (const form of [path, other]) {
      const { status } = await weft.request(method.toUpperCase(), form.replace(/\{\w+\}/, 'x'));
      expect([401, 422]).toContain(status);
    }
    expect(document.paths[path]?.[method]?.description).toMatch(new RegExp(`^Operation ${number} of the interface\\.`));
  });

  it('says of #13, #14 and #15 that their answers have an ETag, and of #15 that it compares', () => {
    const [made, one] = [document.paths['/api/v1/agents/']!, document.paths['/api/v1/agents/{ap_id}']!];
    for (const { responses } of [made.post!, one.get!, one.put!])
      expect(responses['200']).toHaveProperty('headers.ETag');
    expect(one.put!.parameters).toContainEqual(
      expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
    );
    expect(one.put!.responses['412']!.description).toContain('configuration');
  });

  it('has every route of the code, and every path in it is served', async () => {
    const source = join(import.meta.dirname, '../../..');
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('-routes.ts'),
    );
    const named = files.flatMap((file) =>
      [...readFileSync(join(source, file), 'utf8').matchAll(/[rR]oute\('(\w+)'/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThanOrEqual(20);
    const documented = operations();
    expect(documented.map(({ operation }) => operation.operationId)).toEqual(expect.arrayContaining(named));
    for (const { path, method } of documented) {
      const { status } = await weft.request(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'));
      expect(path === '/api/v1/version' ? [200] : [401, 422], `${method} ${path}`).toContain(status);
    }
  });

  it('describes the login form and the two standard answers as the reference does', () => {
    const { requestBody, responses, parameters, security } = document.paths['/api/v1/token/']!.post!;
    const form = resolve(requestBody!.content['application/x-www-form-urlencoded']!.schema);
    expect(Object.keys(form.properties!)).toEqual([
      'grant_type',
      'username',
      'password',
      'scope',
      'client_id',
      'client_secret',
    ]);
    expect(form.required).toEqual(['username', 'password']);
    expect(form.properties!.grant_type!.anyOf).toEqual([{ type: 'string', pattern: 'password' }, { type: 'null' }]);
    expect(form.properties!.scope).toMatchObject({ type: 'string', default: '' });
    expect(parameters).toEqual([expect.objectContaining({ name: 'login_type', in: 'query', required: true })]);
    expect(resolve(parameters![0]!.schema).enum).toEqual(['user', 'agent', 'third_party_app']);
    expect(security).toEqual([]);
    expect(responses['200']!.description).toBe('Successful Response');
    expect(responses['422']!.description).toBe('Validation Error');
    const error = resolve(responses['422']!.content['application/json'].schema);
    const item = resolve(error.properties!.detail!.items!);
    expect(item.required).toEqual(['loc', 'msg', 'type']);
    expect(item.properties!.loc!.items!.anyOf).toEqual([{ type: 'string' }, { type: 'integer' }]);
    expect(document.components.securitySchemes.OAuth2PasswordBearer?.flows).toMatchObject({
      password: { tokenUrl: '/api/v1/token/?login_type=user' },
    });
  });

  it('knows no 201, no 204 but for line protocol, and a 422 wherever there is input, or a parameter would be refused', () => {
    for (const { path, operation } of operations()) {
      const statuses = Object.keys(operation.responses);
      expect(
        statuses.filter((status) => status.startsWith('2')),
        path,
      ).toEqual(path.endsWith('/write') ? ['204'] : ['200']);
      const hasInput = operation.requestBody !== undefined || (operation.parameters ?? []).length > 0;
      const isOwn =
        path.startsWith('/api/v1/') && !/^Operation \d+ of the interface\./.test(operation.description ?? '');
      expect(statuses.includes('422'), path).toBe(hasInput || isOwn);
    }
  });
});

describe('the answers', () => {
  const user = { username: 'u@weft.test', password, roles: ['user'] };
  const agent = { ap_id: 'ap', password, configuration: { site: 'x', deep: { a: [1] } } };
  const app = { app_name: 'app', api_key: 'a longer key', permissions: { read: true, other: 1 } };
  const login = { username: adminUsername, password };

  it('of a whole life are what the document says', async () => {
    const seen = new Set<string>();
    const ask = async (method: string, path: string, url: string, input: object = {}): Promise<Answer> => {
      const answer = await weft.request(method.toUpperCase(), url, { token, ...input });
      const documented = document.paths[path]?.[method]?.responses[answer.status];
      expect(documented, `${method} ${path} ${answer.status}`).toBeDefined();
      expect(deviations(documented!.content['application/json'].schema, answer.body), `${method} ${path}`).toEqual([]);
      seen.add(`${method} ${path} ${answer.status}`);
      return answer;
    };
    const [users, agents, apps] = ['/api/v1/users/', '/api/v1/agents/', '/api/v1/third_party_apps/'];
    await ask('post', '/api/v1/token/', '/api/v1/token/?login_type=user', { form: login });
    await ask('post', '/api/v1/token/', '/api/v1/token/');
    await ask('post', users, users, { json: user });
    await ask('post', users, users, { json: user });
    await ask('post', users, users, { json: {} });
    await ask('post', users, users, { json: user, token: undefined });
    await ask('get', users, users);
    await ask('get', '/api/v1/users/me', '/api/v1/users/me');
    await ask('get', `${users}{username}`, `${users}u@weft.test`);
    await ask('get', `${users}{username}`, `${users}nobody`);
    await ask('put', `${users}{username}`, `${users}u@weft.test`, { json: { roles: ['user', 'admin'] } });
    const disabled = '/api/v1/disabled_users';
    await ask('put', `${disabled}/{username}`, `${disabled}/u@weft.test`);
    await ask('put', `${disabled}/{username}`, `${disabled}/nobody`);
    await ask('put', `${disabled}/{username}`, `${disabled}/${adminUsername}`);
    await ask('get', disabled, disabled);
    await ask('delete', `${disabled}/{username}`, `${disabled}/u@weft.test`);
    await ask('delete', `${users}{username}`, `${users}u@weft.test`);
    await ask('delete', `${users}{username}`, users + adminUsername);
    await ask('post', '/api/v1/users/public', '/api/v1/users/public', { json: user });
    await ask('post', '/api/v1/users/signup', '/api/v1/users/signup', { json: { username: 's@weft.test', password } });
    await ask('post', '/api/v1/users/password-recovery', '/api/v1/users/password-recovery', {
      json: { username: 'x@y.z' },
    });
    for (const [collection, key, json] of [
      [agents, 'ap_id', agent],
      [apps, 'app_name', app],
    ] as const) {
      const name = key === 'ap_id' ? agent.ap_id : app.app_name;
      await ask('post', collection, collection, { json });
      await ask('post', collection, collection, { json });
      for (const method of ['get', 'put', 'delete', 'get']) {
        await ask(method, `${collection}{${key}}`, collection + name, method === 'put' ? { json: {} } : {});
      }
    }
    await ask('get', apps, apps);
    await ask('post', '/api/v1/agents/public', '/api/v1/agents/public', { json: agent });
    const { id } = (
      await ask('post', '/api/v1/enrolment_tokens', '/api/v1/enrolment_tokens', { json: { ap_id_pattern: '*' } })
    ).body;
    await ask('get', '/api/v1/enrolment_tokens', '/api/v1/enrolment_tokens');
    await ask('delete', '/api/v1/enrolment_tokens/{id}', `/api/v1/enrolment_tokens/${id}`);
    expect([...seen].filter((line) => line.endsWith('200')).length).toBeGreaterThanOrEqual(22);
    expect([...seen].map((line) => line.slice(-3))).toEqual(expect.arrayContaining(['401', '404', '409', '422']));
  });
});

it.each(['/docs', '/redoc'])('%s is there for everybody who does not prefer JSON', async (path) => {
  const statusOf = async (accept: string) => (await weft.request('GET', path, { headers: { accept } })).status;
  for (const accept of ['', '*/*', 'text/html', 'text/*, application/json;q=0.5', 'text/html,application/json'])
    expect([accept, await statusOf(accept)]).toEqual([accept, 200]);
  for (const accept of ['application/json', 'application/json, */*;q=0.1', 'application/json, text/html;q=0.9'])
    expect([accept, await statusOf(accept)]).toEqual([accept, 404]);
});

it('the documentation page and all it needs come from this server', async () => {
  const page = await weft.request('GET', '/docs', { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const needed = [...page.body.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
  expect(needed.length).toBeGreaterThanOrEqual(3);
  for (const address of needed) {
    expect(address).toMatch(/^\/[^/]/);
    const asset = await weft.request('GET', address);
    expect([asset.status, asset.body.length > 0]).toEqual([200, true]);
  }
  const script = (await weft.request('GET', '/docs/start.js')).body;
  expect(script).toContain("url: '/openapi.json'");
  expect(script).toContain('validatorUrl: null');
});
