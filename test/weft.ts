// Starts the whole server in this process on a free port and talks to it over real HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoginType } from '../contract/src/index.ts';
import { type Config, loadConfig } from '../controller/src/config.ts';
import { serve } from '../controller/src/serve.ts';

export const adminUsername = 'admin@weft.test';
export const password = 'correct horse battery';

export interface Answer {
  status: number;
  headers: Headers;
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
}

export class TestWeft {
  readonly url: string;
  readonly config: Config;
  readonly #stop: () => Promise<void>;
  /** Each login costs a hash. */
  #adminToken: string | undefined;

  constructor(url: string, config: Config, stop: () => Promise<void>) {
    this.url = url;
    this.config = config;
    this.#stop = stop;
  }

  async request(method: string, path: string, { token, json, form, body, headers = {} }: Input = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form) : (body ?? null),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
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

  stop(): Promise<void> {
    return this.#stop();
  }
}

/** `overrides` are settings by name, as in the environment. Limits on attempts are high unless a test sets them. */
export async function startWeft(overrides: Record<string, string> = {}): Promise<TestWeft> {
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
  const env = { WEFT_PORT: '0', WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'silent', ...generous, ...overrides };
  const config = loadConfig({ env, file: {}, flags: {} });
  const weft = await serve(config);
  return new TestWeft(weft.url, config, async () => {
    await weft.stop();
    if (!overrides.WEFT_DATA_DIR) await rm(dataDir, { recursive: true, force: true });
  });
}
