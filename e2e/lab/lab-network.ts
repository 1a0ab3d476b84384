// The lab for its tests: Weft on the host, the guest with access points and stations, and what to ask of both.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, WeftRefusal } from '../../sdk/src/index.ts';
import { root, serve, type WeftServer } from '../weft-process.ts';
import { Guest } from './guest.ts';
import type { GuestImage } from './guest-image.ts';

/** Where the guest finds the host. */
const hostInGuest = '10.0.2.2';

/** A guest on a busy machine is slow. */
const patienceMs = 240_000;
/** wpa_supplicant wants nothing of an access point that it lost: for 10 s at first, then for 60, then for 120. */
const steeringMs = 200_000;
const betweenAttemptsMs = 2_000;

/** Asks again until the answer is as wanted. */
export async function eventually<Value>(ask: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const value = await ask();
    if (isSo(value)) return value;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)} after ${patienceMs} ms`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

export interface ListedDevice {
  device: string;
  links: { ap_id: string; rssi_dbm?: number; rx_mbps?: number; tx_mbps?: number }[];
}

// biome-ignore lint/suspicious/noExplicitAny: results have every shape
export type Report = Record<string, any>;

export class LabNetwork {
  readonly guest: Guest;
  readonly #folder: string;
  #weft: WeftServer;
  readonly #token: string;
  /** Of the administrator. */
  readonly app: App;
  /** Pseudonyms of the station that follows and of the one that refuses. */
  moving = '';
  refusing = '';

  private constructor(guest: Guest, folder: string, weft: WeftServer, token: string) {
    this.guest = guest;
    this.#folder = folder;
    this.#weft = weft;
    this.#token = token;
    this.app = new App({ url: weft.url, token });
  }

  static async start(image: GuestImage, { hasDisk = false } = {}): Promise<LabNetwork> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-lab-data-'));
    const [weft, guest] = await Promise.all([serve({ folder, isShared: true }), Guest.start(image, { hasDisk })]);
    const token = await weft.createAdmin();
    copyFileSync(join(root, 'cli/install/weft-agent.sh'), join(guest.folder, 'weft-agent.sh'));
    return new LabNetwork(guest, folder, weft, token);
  }

  async stop(): Promise<void> {
    await this.guest.stop();
    await this.#weft.end('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get urlInGuest(): string {
    return this.#weft.url.replace(/\/\/[^:]+/, `//${hostInGuest}`);
  }

  get url(): string {
    return this.#weft.url;
  }

  /** A lab sends more commands in a minute than operators do in a day. */
  async hurryRules(): Promise<void> {
    const { body } = await this.#weft.request('GET', '/api/v1/conflicts/rules', { token: this.#token });
    const groups = body.groups.map((group: object) => ({ ...group, min_interval_ms: 0 }));
    const json = { ...body, groups, blast_radius: { fraction: 1, minimum: 100, window_s: 1 } };
    const { status, body: answer } = await this.#weft.request('PUT', '/api/v1/conflicts/rules', {
      token: this.#token,
      json,
    });
    if (status !== 200) throw new Error(JSON.stringify(answer));
  }

  /** A function of lab.sh. */
  lab(words: string): Promise<string> {
    return this.guest.run(`sh /mnt/lab.sh ${words}`);
  }

  /** The line that `weft agent line` prints, run unchanged on a machine of the lab. */
  async enrol(machine: string, ap_id: string, options: readonly string[]): Promise<string> {
    const client = join(root, 'cli/src/bin/weft.ts');
    const args = [client, 'agent', 'line', ap_id, '--agent-url', this.urlInGuest, ...options];
    const env = { ...process.env, WEFT_URL: this.#weft.url, WEFT_TOKEN: this.#token };
    const line = execFileSync(process.execPath, args, { env, encoding: 'utf8' });
    writeFileSync(join(this.guest.folder, `line-${ap_id}`), line);
    await this.lab(`on ${machine} sh /mnt/line-${ap_id}`);
    return line;
  }

  async request<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, json?: unknown): Promise<Body> {
    return await this.app.request<Body>(method, path, json === undefined ? {} : { json });
  }

  /** What Weft says is attached there. */
  async devicesOf(ap_id: string): Promise<ListedDevice[]> {
    return (await this.request<{ items: ListedDevice[] }>('GET', `/api/v1/agents/${ap_id}/devices`)).items;
  }

  /** Once it is registered, has said which devices it has, and these are as wanted. */
  async untilDevices(ap_id: string, isSo: (devices: ListedDevice[]) => boolean): Promise<ListedDevice[]> {
    const ask = () =>
      this.request<{ items: ListedDevice[]; reported_at: string | null }>(
        'GET',
        `/api/v1/agents/${ap_id}/devices`,
      ).catch((error) => {
        if (error instanceof WeftRefusal && error.status === 404) return { items: [], reported_at: null };
        throw error;
      });
    return (await eventually(ask, ({ items, reported_at }) => reported_at !== null && isSo(items))).items;
  }

  /** The newest values of an access point. */
  async latest(ap_id: string): Promise<Record<string, { ts: string; value: number }>> {
    const [found] = await this.app.latest({ agents: [ap_id] });
    return (found?.metrics ?? {}) as Record<string, { ts: string; value: number }>;
  }

  async untilLatest(
    ap_id: string,
    isSo: (metrics: Record<string, number>) => boolean,
  ): Promise<Record<string, number>> {
    const ask = async () =>
      Object.fromEntries(Object.entries(await this.latest(ap_id)).map(([name, { value }]) => [name, value]));
    return await eventually(ask, isSo);
  }

  async command(ap_id: string, name: string, args: Record<string, unknown> = {}, app = this.app): Promise<Report> {
    const command = await app.command(ap_id, name, args);
    return await command.result();
  }

  /** Where the station that follows is now, and where it is not. */
  async placeOfMover(): Promise<{ here: string; there: string }> {
    const has = async (ap_id: string) => (await this.devicesOf(ap_id)).some(({ device }) => device === this.moving);
    // The access point that it left may not know yet.
    const [first, second] = await eventually(
      async () => [await has('ap-1'), await has('ap-2')],
      ([first, second]) => first !== second,
    );
    return first && !second ? { here: 'ap-1', there: 'ap-2' } : { here: 'ap-2', there: 'ap-1' };
  }

  /**
   * Steers the station that follows to where it is not. It is asked again where it stays: it wants nothing of an access point
   * that it lost for a while, and on a busy machine it may miss frames, as it may in the air.
   */
  steerMover(args: Record<string, unknown> = {}): Promise<{ here: string; there: string; report: Report }> {
    return this.askAgain(
      async () => {
        const { here, there } = await this.placeOfMover();
        const report = await this.command(here, 'steer_device', { device: this.moving, target: there, ...args });
        return { here, there, report };
      },
      ({ report }) => report.state === 'succeeded',
    );
  }

  /** Steers the station that refuses to the other access point; asked again where it says nothing, for the same reasons. */
  async steerRefuser(here: string): Promise<Report> {
    const args = { device: this.refusing, target: 'ap-2', timeout_seconds: 30 };
    const { report } = await this.askAgain(
      async () => ({ report: await this.command(here, 'steer_device', args) }),
      ({ report }) => report.result?.outcome !== 'ignored',
    );
    return report;
  }

  /** Until the stations have heard it, for a while: they may miss frames, as in the air. The last answer is judged by the test. */
  async askAgain<Asked extends { report: Report }>(
    ask: () => Promise<Asked>,
    isEnough: (asked: Asked) => boolean,
  ): Promise<Asked> {
    const deadline = Date.now() + steeringMs;
    for (;;) {
      const asked = await ask();
      if (isEnough(asked) || Date.now() > deadline) return asked;
      process.stdout.write(`Asked again, after ${JSON.stringify(asked.report.result)}\n`);
      await new Promise((next) => setTimeout(next, betweenAttemptsMs));
    }
  }

  /** The times of a metric in the last minutes, in order. */
  async timesOf(ap_id: string, metric: string): Promise<number[]> {
    const query = `agent=${ap_id}&metrics=${metric}&window=5`;
    const path = `/api/v1/metrics/agent_multi_metric_data?${query}`;
    const { series } = await this.request<{ series?: { points: { ts: string }[] }[] }>('GET', path);
    return (series?.[0]?.points ?? []).map(({ ts }) => Date.parse(ts)).sort((a, b) => a - b);
  }

  /** Until it has reported so many times more. */
  async untilReports(ap_id: string, count: number): Promise<void> {
    for (let seen = 0; seen < count; seen++) {
      const { uptime_seconds } = await this.latest(ap_id);
      await eventually(
        () => this.latest(ap_id),
        (now) => now.uptime_seconds?.ts !== uptime_seconds?.ts,
      );
    }
  }

  /** The longest time without a byte of the download while this runs. */
  async longestPause(act: () => Promise<unknown>): Promise<number> {
    const lines = async () => this.guest.read('log/pauses').split('\n').slice(0, -1);
    const before = (await lines()).length;
    await act();
    const after = (await lines()).length;
    // It writes a line now and then.
    const all = await eventually(lines, ({ length }) => length > after);
    return Math.max(...all.slice(before).map((line) => (JSON.parse(line) as { longestMs: number }).longestMs));
  }

  /** Weft is killed; `meanwhile` runs; it starts again on the same port with the same data. */
  async withoutWeft(meanwhile: () => Promise<void>): Promise<void> {
    const { port } = new URL(this.#weft.url);
    await this.#weft.end('SIGKILL');
    await meanwhile();
    this.#weft = await serve({ folder: this.#folder, isShared: true, env: { WEFT_PORT: port } });
  }

  /** Lines of a log of the guest with one of these words, without the time. */
  lines(log: string, words: RegExp): string[] {
    return this.guest
      .read(`log/${log}`)
      .split('\n')
      .filter((line) => words.test(line));
  }

  /** All logs, for somebody who wants to know why a test failed. */
  logs(): string {
    const folder = join(this.guest.folder, 'log');
    return readdirSync(folder)
      .map((name) => `--- ${name}\n${readFileSync(join(folder, name), 'utf8').slice(-4000)}`)
      .join('\n');
  }
}
