// An access point with a real agent process for tests: it is given settings by Weft, its agent is killed, and what it runs is looked at.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Air, askAir, type KillAt } from './access-point-air.ts';
import { untilSo } from './pure/until-so.ts';
import type { TestWeft } from './weft.ts';

export type Body = Record<string, unknown>;

const conf = `# by hand
interface=wlan0
ssid=before
country_code=US
hw_mode=a
channel=36
ieee80211n=1
ieee80211ac=1
wpa=2
wpa_key_mgmt=WPA-PSK
wpa_passphrase=as it was before
`;

/** Of the administrator of each: to log in costs more than most of what is asked. */
const tokens = new WeakMap<TestWeft, Promise<string>>();

function tokenOf(weft: TestWeft): Promise<string> {
  const known = tokens.get(weft) ?? weft.admin();
  tokens.set(weft, known);
  return known;
}

/** As the administrator; throws if Weft refuses. */
export async function askWeft(weft: TestWeft, method: string, path: string, json?: Body) {
  const answer = await weft.request(method, `/api/v1${path}`, { token: await tokenOf(weft), ...(json && { json }) });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Rolls out these settings to the access point, which has its name as a tag, once it is not part of another roll-out. */
export async function giveSettings(weft: TestWeft, ap_id: string, settings: Body, plan: Body = {}): Promise<void> {
  await untilSo(async () => {
    const running = (await askWeft(weft, 'GET', '/rollouts')).items.filter((one: Body) => one.title === ap_id);
    expect(running.filter(({ state }: Body) => state === 'running')).toEqual([]);
  });
  const { items } = await askWeft(weft, 'GET', '/config/layers?limit=1000');
  const id = items.find(({ name }: { name: string }) => name === ap_id)?.id;
  const layer = { ...(id && { id }), name: ap_id, selector: `tag:${ap_id}`, weight: 10, settings };
  const set = await askWeft(weft, 'POST', '/config/change_sets', { title: ap_id, layers: [layer], remove: [] });
  // Who refuses it or goes back does not stop it.
  await askWeft(weft, 'POST', `/config/change_sets/${set.id}/rollout`, { failure_limit: { agents: 10 }, ...plan });
}

export class SettableAccessPoint {
  readonly ap_id: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'weft-settable-'));
  readonly file = join(this.folder, 'hostapd.conf');
  readonly #weft: TestWeft;
  readonly #air: ChildProcess;
  #agent: ChildProcess | undefined;
  #token = '';
  said = '';

  private constructor(weft: TestWeft, ap_id: string) {
    this.#weft = weft;
    this.ap_id = ap_id;
    writeFileSync(this.file, conf);
    const program = join(import.meta.dirname, 'access-point-air.ts');
    const options = { argv0: 'hostapd', stdio: ['ignore', 'inherit', 'inherit'] as const };
    this.#air = spawn(process.execPath, [program, this.file, join(this.folder, 'air')], options as object);
  }

  /** With its agent, which is in a group of its own. */
  static async start(weft: TestWeft, ap_id: string): Promise<SettableAccessPoint> {
    const ap = new SettableAccessPoint(weft, ap_id);
    ap.#token = (await ap.ok('POST', '/enrolment_tokens', { ap_id_pattern: ap_id })).token;
    await untilSo(() => ap.air());
    ap.startAgent();
    await untilSo(async () =>
      expect((await ap.ok('GET', `/agents/${ap_id}`)).configuration).toHaveProperty('settings'),
    );
    await ap.ok('PATCH', `/agents/${ap_id}/labels`, { tags: [ap_id] });
    return ap;
  }

  ok(method: string, path: string, json?: Body) {
    return askWeft(this.#weft, method, path, json);
  }

  startAgent(): void {
    const program = join(import.meta.dirname, 'access-point-process.ts');
    const args = [program, this.folder, this.#weft.url, this.ap_id, this.#token];
    const agent = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    agent.stderr.on('data', (text) => {
      this.said += text;
    });
    this.#agent = agent;
  }

  get pid(): number {
    return this.#agent!.pid!;
  }

  get isRunning(): boolean {
    return this.#agent !== undefined && this.#agent.exitCode === null && this.#agent.signalCode === null;
  }

  async killAgent(): Promise<void> {
    const agent = this.#agent!;
    if (!this.isRunning) return;
    agent.kill('SIGKILL');
    await once(agent, 'exit');
  }

  /** What hostapd and the radio do. */
  air(): Promise<Air> {
    return askAir(join(this.folder, 'air'), { air: true });
  }

  /** hostapd begins anew, with what its file says. */
  cutPower(): Promise<Air> {
    return askAir(join(this.folder, 'air'), { powerCut: true });
  }

  /** Resolves whether the kill that was asked for before is still to come. */
  killAt(kill: Omit<KillAt, 'pid'> | null): Promise<boolean> {
    return askAir(join(this.folder, 'air'), { kill: kill && { ...kill, pid: this.pid } });
  }

  give(settings: Body): Promise<void> {
    return giveSettings(this.#weft, this.ap_id, settings);
  }

  config(view = 'diff') {
    return this.ok('GET', `/agents/${this.ap_id}/config?view=${view}`);
  }

  text(): string {
    return readFileSync(this.file, 'utf8');
  }

  async stop(): Promise<void> {
    await this.killAgent();
    this.#air.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
