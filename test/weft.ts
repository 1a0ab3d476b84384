// Starts the whole server in this process on a free port and talks to it over real HTTP.
import '../contract/src/closed-prototype.ts';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { LoginType } from '../contract/src/index.ts';
import { type Config, loadConfig } from '../controller/src/core/base/config.ts';
import type { Part } from '../controller/src/core/part.ts';
import type { Frame, Sample } from '../controller/src/core/telemetry/store/telemetry-store.ts';
import type { createParts } from '../controller/src/parts.ts';
import { type RunningWeft, type ServeOptions, serve } from '../controller/src/serve.ts';
import { countCost } from './costs/file-costs.ts';
import { untilSo } from './pure/until-so.ts';
import { SeenStatuses } from './seen-statuses.ts';

export const adminUsername = 'admin@weft.test';
/** Of the form that is checked fast for agents: hashing it slowly for each would be a good part of the work of all tests. */
export const password = 'wfs_59f1ca858435af0d0440bb4ec16a220fed7fdaeec22554c479239e32a3f20389d5b75d53';

/** argon2id at its real cost would be a good part of the work of all tests; password-hasher.test.ts uses that. */
export const passwordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Parsed if it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

interface Input {
  token?: string | undefined;
  json?: unknown;
  form?: Record<string, string>;
  body?: RequestInit['body'];
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

type Asked = Pick<RequestInit, 'body' | 'signal'> & { method: string; headers: Record<string, string> };

const connections = new Agent({ keepAlive: true });

/** As `fetch`, for less than half of the work, which is a good part of that of all tests; what is unusual is left to it. */
async function ask(url: string, init: Asked): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const { method, headers, body, signal } = init;
  const isPlain = body === null || (typeof body === 'string' && 'content-type' in headers) || Buffer.isBuffer(body);
  const { protocol, hostname, port, pathname, search } = new URL(url);
  if (!isPlain || signal || protocol !== 'http:' || (method === 'GET' && body !== null)) {
    const response = await fetch(url, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const asked = { method, hostname, port, path: pathname + search, agent: connections };
  const { answer, text } = await new Promise<{ answer: IncomingMessage; text: string }>((resolve, reject) => {
    request({ ...asked, headers: { accept: '*/*', 'user-agent': 'node', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      answer.on('error', reject).on('end', () => resolve({ answer, text }));
    })
      .on('error', reject)
      .end(body);
  });
  const given = new Headers();
  const { rawHeaders, statusCode = 0 } = answer;
  for (let n = 0; n < rawHeaders.length; n += 2) given.append(rawHeaders[n]!, rawHeaders[n + 1]!);
  const location = given.get('location');
  if (method === 'GET' && statusCode >= 300 && statusCode < 400 && location !== null) {
    return ask(new URL(location, url).href, init);
  }
  return { status: statusCode, headers: given, text };
}

/** Talks to a Weft, wherever it runs. */
export class WeftClient {
  readonly url: string;
  /** Each login costs a hash. */
  #adminToken: string | undefined;

  constructor(url: string) {
    this.url = url;
  }

  async request(
    method: string,
    path: string,
    { token, json, form, body, headers = {}, signal }: Input = {},
  ): Promise<Answer> {
    const init = {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
        ...headers,
      },
      body: json !== undefined ? JSON.stringify(json) : form ? String(new URLSearchParams(form)) : (body ?? null),
      ...(signal && { signal }),
    };
    const answer = await ask(this.url + path, init);
    const { text } = answer;
    const isJson = text !== '' && (answer.headers.get('content-type')?.startsWith('application/json') ?? false);
    return { ...answer, body: isJson ? JSON.parse(text) : text };
  }

  async login(kind: LoginType, username: string, secret = password): Promise<string> {
    const answer = await this.request('POST', `/api/v1/token/?login_type=${kind}`, {
      form: { username, password: secret },
    });
    if (answer.status !== 200) throw new Error(`login of ${kind} ${username} failed: ${JSON.stringify(answer.body)}`);
    return answer.body.access_token;
  }

  /** A token of the administrator, who is created if there is none. */
  async admin(): Promise<string> {
    await this.request('POST', '/api/v1/users/public', {
      json: { username: adminUsername, password, roles: ['admin'] },
    });
    this.#adminToken = await this.login('user', adminUsername);
    return this.#adminToken;
  }

  async user(username: string, roles = ['user']): Promise<string> {
    await this.#create('/api/v1/users/', { username, password, roles });
    return this.login('user', username);
  }

  async agent(ap_id: string, configuration: Record<string, unknown> = {}): Promise<string> {
    await this.#create('/api/v1/agents/', { ap_id, password, configuration });
    return this.login('agent', ap_id);
  }

  async app(app_name: string, permissions: Record<string, unknown> = {}): Promise<string> {
    await this.#create('/api/v1/third_party_apps/', { app_name, api_key: password, permissions });
    return this.login('third_party_app', app_name);
  }

  async #create(path: string, json: unknown): Promise<void> {
    const create = (token: string) => this.request('POST', path, { token, json });
    let answer = await create(this.#adminToken ?? (await this.admin()));
    // The test may have ended the session meanwhile.
    if (answer.status === 401 || answer.status === 403) answer = await create(await this.admin());
    if (answer.status !== 200)
      throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  /** A POST with these headers and this body, and nothing else. */
  post(path: string, headers: Record<string, string>, body: RequestInit['body']): Promise<Answer> {
    return this.request('POST', path, { headers, body });
  }

  async configurationOf(ap_id: string): Promise<Record<string, unknown>> {
    const token = this.#adminToken ?? (await this.admin());
    return (await this.request('GET', `/api/v1/agents/${encodeURIComponent(ap_id)}`, { token })).body.configuration;
  }
}

type PartList = Record<string, Part>;
type AllParts = ReturnType<typeof createParts>;

/** A Weft in this process, for tests that look or reach inside. */
export class TestWeft<Parts extends PartList = AllParts> extends WeftClient {
  readonly config: Config;
  readonly parts: Parts;
  readonly platform: RunningWeft['platform'];
  readonly events: RunningWeft['events'];
  readonly stop: () => Promise<void>;

  constructor({ url, parts, platform, events }: RunningWeft<Parts>, stop: () => Promise<void>) {
    super(url);
    this.config = platform.config;
    this.parts = parts;
    this.platform = platform;
    this.events = events;
    this.stop = stop;
  }

  /** Stores samples as if the agent had just posted them. */
  async record(ap_id: string, samples: Sample[], receivedMs = Date.now()): Promise<void> {
    await this.platform.telemetryStore.append(ap_id, samples);
    this.events.recorded.emit(ap_id, samples, receivedMs);
  }

  /** Everything stored of an agent: one object a moment, oldest first. */
  async rowsOf(ap_id: string): Promise<Record<string, number | string>[]> {
    const range = { startMs: 0, endMs: Date.now() + 86_400_000 };
    return toRows(await this.platform.telemetryStore.rows(ap_id, range, 1_000_000));
  }
}

function toRows({ ts, columns, texts }: Frame): Record<string, number | string>[] {
  return Array.from(ts, (moment, index) => {
    const fields: [string, number | string][] = [];
    for (const [name, values] of columns) if (!Number.isNaN(values[index])) fields.push([name, values[index]!]);
    for (const [name, values] of texts) if (values[index] !== undefined) fields.push([name, values[index]]);
    return Object.fromEntries([['ts', moment], ...fields]);
  });
}

/**
 * `overrides` are settings by name, as in the environment. Limits on attempts are high unless a test sets them. With
 * `createParts` a test runs some parts only, or parts that stand on something of its own.
 */
export async function startWeft<Parts extends PartList = AllParts>(
  overrides: Record<string, string> = {},
  options: ServeOptions<Parts> = {},
): Promise<TestWeft<Parts>> {
  const dataDir = overrides.WEFT_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'weft-test-')));
  const generous = Object.fromEntries(
    [
      'LOGIN_FAILURES_PER_ACCOUNT',
      'LOGIN_FAILURES_PER_ADDRESS',
      'SIGNUPS_PER_ADDRESS',
      'RECOVERIES_PER_ADDRESS',
      'RESETS_PER_ADDRESS',
    ].map((name) => [`WEFT_LIMIT_${name}`, '100000']),
  );
  // Tests of the audit log count entries; those of logins would come in between.
  const rarely = { WEFT_SECURITY_EVENT_SECONDS: '86400' };
  const env = {
    WEFT_PORT: '0',
    WEFT_DATA_DIR: dataDir,
    WEFT_LOG_LEVEL: 'silent',
    ...(process.env.WEFT_TEST_PARTS && { WEFT_PARTS: process.env.WEFT_TEST_PARTS }),
    ...rarely,
    ...generous,
    ...overrides,
  };
  countCost('server');
  if (overrides.WEFT_DATABASE_URL === undefined) await copyMigrated(dataDir);
  const metrics = new SeenStatuses();
  const weft = await serve(loadConfig({ env, file: {}, flags: {} }), { metrics, passwordCost, ...options });
  // A busy machine may keep PostgreSQL from answering the first time; Weft then waits for it, and tests wait for Weft.
  if (overrides.WEFT_DATABASE_URL !== undefined && weft.firstAdminNeeded === undefined) {
    const ready = untilSo(async () => {
      if ((await fetch(`${weft.url}/api/v1/users/me`)).status === 503) throw new Error('its database does not answer');
    });
    // Once it answers, a start may be refused.
    await Promise.race([ready, weft.failed]).catch(async (error) => {
      await weft.stop();
      throw error;
    });
  }
  weft.events.audited.add(async () => metrics.noteAudited());
  metrics.noteRoutes(Object.values<Part>(weft.parts).flatMap(({ routes = [] }) => routes));
  return new TestWeft(weft, async () => {
    await weft.stop();
    if (!overrides.WEFT_DATA_DIR) await rm(dataDir, { recursive: true, force: true });
  });
}

/** A database with all tables, where a server would have to make them first. */
export async function copyMigrated(dataDir: string): Promise<void> {
  const file = join(dataDir, 'weft.db');
  if (existsSync(dataDir) && !existsSync(file)) await copyFile(inject('migrated').sqliteFile, file);
}
