// Asks a running Weft for an emulated network, as a researcher would, and looks at how it gets on.
import type { EmulatorAccepted, EmulatorEvent, EmulatorRun, EmulatorSpec, FleetPresence } from '@weft/contract';
import { light } from './load.ts';

export const admin = { WEFT_ADMIN_USERNAME: 'admin@weft.test', WEFT_ADMIN_PASSWORD: 'correct horse battery' };
const presenceEveryMs = 250;
const wordEveryMs = 100;
const nearlyAll = 0.8;
/** For all access points to report, so long for each. */
const patienceMsEach = 60;

export interface Started {
  job_number: string;
  ap_ids: string[];
  answerMs: number;
  /** From the request until every access point has reported; Infinity if they did not in time. */
  reportedMs: number;
  reported: number;
}

export class EmulatedNetwork {
  readonly #url: string;
  readonly #token: string;

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async connect(url: string): Promise<EmulatedNetwork> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ username: admin.WEFT_ADMIN_USERNAME, password: admin.WEFT_ADMIN_PASSWORD });
    const { text } = await light(`${url}/api/v1/token/?login_type=user`, { method: 'POST', headers }, body.toString());
    return new EmulatedNetwork(url, JSON.parse(text).access_token);
  }

  async spinUp(emulators: EmulatorSpec[]): Promise<Started> {
    const startedAt = performance.now();
    const accepted = (await this.#ask('POST', '/api/v1/emulator/spinup', { emulators, seed: 1 })) as EmulatorAccepted;
    const answerMs = performance.now() - startedAt;
    const ap_ids = accepted.agents.map(({ ap_id }) => ap_id);
    const found = await this.#untilReported(ap_ids.length, startedAt + ap_ids.length * patienceMsEach);
    const reportedMs = found.reported < ap_ids.length ? Number.POSITIVE_INFINITY : found.atMs - startedAt;
    return { job_number: accepted.job_number, ap_ids, answerMs, reportedMs, reported: found.reported };
  }

  /** Who has reported is a long answer: asked for only near the end, and less often the longer it takes. */
  async #untilReported(count: number, untilMs: number): Promise<{ reported: number; atMs: number }> {
    while (((await this.latest()).agents_online ?? 0) < nearlyAll * count && performance.now() < untilMs) {
      await pause(presenceEveryMs);
    }
    for (;;) {
      const askedAt = performance.now();
      const { agents } = (await this.#ask('GET', '/api/v1/metrics/presence')) as FleetPresence;
      const reported = agents.filter(({ last_seen }) => last_seen !== null).length;
      const atMs = performance.now();
      if (reported >= count || atMs > untilMs) return { reported, atMs };
      await pause(Math.max(presenceEveryMs, 5 * (atMs - askedAt)));
    }
  }

  /** What the emulator told last. */
  async latest(): Promise<Partial<EmulatorEvent>> {
    const [run] = (await this.#ask('GET', '/api/v1/emulator?limit=1')) as EmulatorRun[];
    return run?.latest ?? {};
  }

  /** What it tells next, as soon as it does: only then is known of when it is. */
  async nextWord(): Promise<Partial<EmulatorEvent>> {
    const before = await this.latest();
    for (;;) {
      await pause(wordEveryMs);
      const now = await this.latest();
      if (now.samples !== before.samples) return now;
    }
  }

  /** Samples that Weft has of one access point for so many seconds up to now. */
  async stored(ap_id: string, seconds: number): Promise<number> {
    const query = `agent=${ap_id}&metrics=power_w&window=${seconds}s`;
    const answer = await this.#ask('GET', `/api/v1/metrics/agent_multi_metric_data?${query}`);
    return (answer as { series: { points: unknown[] }[] }).series[0]!.points.length;
  }

  stop(job_number: string): Promise<unknown> {
    return this.#ask('POST', `/api/v1/emulator/${job_number}/stop`);
  }

  async #ask(method: string, path: string, json?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const body = json === undefined ? undefined : JSON.stringify(json);
    const { status, text } = await light(this.#url + path, { method, headers }, body);
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }
}

/** Milliseconds that the event loop of a process was late, 99th percentile since the last look. */
export async function loopDelayMs(url: string): Promise<number> {
  const { text } = await light(`${url}/metrics`);
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1] ?? Number.NaN) * 1000;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
