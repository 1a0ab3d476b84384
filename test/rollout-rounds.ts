// A roll-out to many emulated access points that lose what is said, refuse, do only nearly what they shall, lose their power, or cut themselves off
// by the new settings; on a clock of its own, and from a seed.
import { randomUUID } from 'node:crypto';
import type { AgentCaller } from '../controller/src/core/base/caller.ts';
import type { ConfigDelivery } from '../controller/src/operations/desired/delivery/config-delivery.ts';
import { createEngine } from './desired-engine.ts';
import type { Random } from './pure/random.ts';
import { startWeft, type TestWeft } from './weft.ts';

type Settings = Record<string, unknown>;
type Message = Awaited<ReturnType<ConfigDelivery['due']>>;
export type Fault = 'none' | 'refuses' | 'substitutes' | 'power_cut' | 'cut_off';

const stepMs = 5_000;
const trialSeconds = 60;
const maxRounds = 2_000;
const stalledMs = 240_000;

/** Fails if `work` does not get further for four minutes, however long all of it takes: that is a matter of the machine. */
export async function whileItGoesOn<T>(work: (further: () => void) => Promise<T>): Promise<T> {
  const stalled = Promise.withResolvers<never>();
  const timer = setTimeout(() => stalled.reject(new Error(`nothing went on for ${stalledMs} ms`)), stalledMs);
  try {
    return await Promise.race([work(() => void timer.refresh()), stalled.promise]);
  } finally {
    clearTimeout(timer);
  }
}

class Lost extends Error {}

/** As an agent is to be: the old settings come back by themselves, unless the new ones are confirmed in time. */
export class EmulatedAp {
  readonly caller: AgentCaller;
  readonly fault: Fault;
  running: { hash: string | null; settings: Settings } = { hash: null, settings: { channel: 1 } };
  touched = 0;
  #old = this.running;
  #trial: { id: string; untilMs: number } | undefined;
  #confirmed: string | undefined;
  #reverted: { id: string; reason: string } | undefined;
  #connection: string | undefined;
  readonly #random: Random;
  readonly #loss: number;

  constructor(caller: AgentCaller, fault: Fault, random: Random, loss: number) {
    this.caller = caller;
    this.fault = fault;
    this.#random = random;
    this.#loss = loss;
  }

  get isOnTrial(): boolean {
    return this.#trial !== undefined;
  }

  async turn(delivery: ConfigDelivery, nowMs: number): Promise<void> {
    const trial = this.#trial;
    const isPowerCut = trial && this.fault === 'power_cut' && this.#random.unit() < 0.5;
    if (isPowerCut) this.#goBack(trial.id, 'the access point was restarted during the trial');
    else if (trial && nowMs >= trial.untilMs) this.#goBack(trial.id, 'no confirmation in time');
    // With these settings it hears nobody, and nobody hears it.
    if (this.#trial && this.fault === 'cut_off') return;
    try {
      if (this.#connection === undefined) await this.#say(delivery, nowMs);
      await this.#take(delivery, await this.#lossy(() => delivery.due(this.caller, true)), nowMs);
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      this.#connection = undefined;
    }
  }

  #goBack(id: string, reason: string): void {
    this.running = this.#old;
    this.#trial = undefined;
    this.#reverted = { id, reason };
    this.#connection = undefined;
  }

  async #say(delivery: ConfigDelivery, nowMs: number): Promise<void> {
    const connection = randomUUID();
    const message = {
      type: 'config_running' as const,
      ...this.running,
      ...(this.#reverted && { reverted: this.#reverted }),
    };
    const reply = await this.#lossy(() => delivery.heard(this.caller, message, connection));
    this.#connection = connection;
    await this.#take(delivery, reply, nowMs);
  }

  async #take(delivery: ConfigDelivery, message: Message, nowMs: number): Promise<void> {
    if (message?.type === 'config_confirm' && message.hash === this.running.hash) {
      this.#trial = undefined;
      this.#confirmed = message.id;
      return this.#say(delivery, nowMs);
    }
    if (message?.type !== 'config') return;
    const { id, hash, settings, trial_seconds } = message;
    const isKnown = this.#trial?.id === id || this.#confirmed === id;
    if (this.fault === 'refuses') {
      const reason = 'not in this country';
      await this.#lossy(() =>
        delivery.heard(this.caller, { type: 'config_result', id, hash, state: 'refused', reason }, ''),
      );
      return;
    }
    if (!isKnown && this.#reverted?.id !== id) {
      this.touched++;
      this.#old = this.running;
      const given = this.fault === 'substitutes' ? { ...settings, channel: Number(settings.channel) + 1 } : settings;
      this.running = { hash, settings: { ...this.running.settings, ...given } };
      this.#trial = { id, untilMs: nowMs + 1000 * trial_seconds };
      this.#reverted = undefined;
      if (this.fault === 'cut_off') return;
    }
    const state = this.fault === 'substitutes' ? ('substituted' as const) : ('applied' as const);
    const answer = { type: 'config_result' as const, id, hash, state, settings: this.running.settings };
    await this.#lossy(() => delivery.heard(this.caller, answer, this.#connection ?? ''));
    this.#connection = undefined;
  }

  /** Lost on its way there, or the answer on its way back. */
  async #lossy<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#random.unit() < this.#loss) throw new Lost();
    const answer = await ask();
    if (this.#random.unit() < this.#loss) throw new Lost();
    return answer;
  }
}

export interface Rounds {
  rollout: { state: string; reason: string | null; states: Record<string, number>; waves: { treated: number }[] };
  agents: { ap_id: string; state: string; detail: string | null }[];
  aps: Map<string, EmulatedAp>;
  errors: unknown[];
}

/** One Weft, with so many access points; `run` rolls out one change after the other. */
export class RolloutScene {
  readonly weft: TestWeft;
  readonly #token: string;
  readonly #ids: Map<string, string>;
  readonly #further: () => void;
  #channel = 10;
  #layer: string | undefined;

  private constructor(weft: TestWeft, token: string, ids: Map<string, string>, further: () => void) {
    this.weft = weft;
    this.#token = token;
    this.#ids = ids;
    this.#further = further;
  }

  static async start(count: number, further = () => {}): Promise<RolloutScene> {
    const weft = await startWeft();
    const token = await weft.admin();
    await weft.parts.desired.drain();
    const ids = new Map<string, string>();
    const configuration = { settings: { channel: { type: 'integer' } } };
    for (let at = 0; at < count; at++) {
      const ap_id = `round-${String(at).padStart(4, '0')}`;
      const json = { ap_id, password: `wfs_${ap_id}-${randomUUID()}`, configuration };
      ids.set(ap_id, (await weft.request('POST', '/api/v1/agents/', { token, json })).body.id);
      further();
    }
    return new RolloutScene(weft, token, ids, further);
  }

  async run(plan: object, faultOf: (at: number) => Fault, random: Random, loss: number): Promise<Rounds> {
    const aps = new Map(
      [...this.#ids].map(([name, id], at) => [
        name,
        new EmulatedAp({ kind: 'agent', id, name }, faultOf(at), random, loss),
      ]),
    );
    const clock = { ms: Date.now() };
    const errors: unknown[] = [];
    const engine = createEngine(this.weft, { now: () => clock.ms, onError: (error) => errors.push(error) });
    const layer = { ...(this.#layer && { id: this.#layer }), name: 'rounds', selector: 'name:round-*', weight: 1 };
    const settings = { channel: ++this.#channel };
    const set = await this.#ask('POST', '/config/change_sets', { title: 'rounds', layers: [{ ...layer, settings }] });
    this.#layer = set.layers[0].id;
    const body = { trial_seconds: trialSeconds, ...plan };
    const { id } = await this.#ask('POST', `/config/change_sets/${set.id}/rollout`, body);
    // Also a while after its end: what was lost is said again.
    for (let round = 0, after = 0; round < maxRounds && after < 40; round++) {
      clock.ms += stepMs;
      await engine.reconciler.reconcile();
      await engine.driver.goOn();
      for (const ap of aps.values()) await ap.turn(engine.delivery, clock.ms);
      this.#further();
      if (round % 5 === 0 && (await this.#ask('GET', `/rollouts/${id}`)).state !== 'running') after += 5;
    }
    await engine.driver.stop();
    await engine.reconciler.stop();
    const rollout = await this.#ask('GET', `/rollouts/${id}`);
    const { items } = await this.#ask('GET', `/rollouts/${id}/agents?limit=1000`);
    return { rollout, agents: items, aps, errors };
  }

  async #ask(method: string, path: string, json?: unknown) {
    const { status, body, text } = await this.weft.request(method, `/api/v1${path}`, {
      token: this.#token,
      ...(json ? { json } : {}),
    });
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
    return body;
  }
}
