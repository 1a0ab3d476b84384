// The way out of the telemetry path: what is stored of an agent, as a chart, a table or a download wants it. Decides who
// sees which agent, bounds every answer, and lets identical polls share one.
import type { AgentFilter, AgentMetrics, Aggregate } from '@weft/contract';
import type { AgentService } from '../../accounts/agents/agent-service.ts';
import type { Caller } from '../../base/caller.ts';
import type { FairTurns } from '../../base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../base/shares/shares.ts';
import { allInSlices, CallerGone, leaving } from '../../base/time-slices.ts';
import { type AgentDetailTexts, isListed, needsStates } from '../../network/agent-details.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { PresenceService } from '../presence/presence-service.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { AnswerCache } from './answer-cache.ts';
import { type ExportOptions, exportPieces } from './export-pieces.ts';
import { LatestJson, type LatestRow } from './latest-json.ts';
import { heldWhileSent, isWhole, type LongList, LongLists, type WholeJson } from './long-lists.ts';
import { labelOf } from './metric-label.ts';
import { agentDataJson, multiMetricJson, multiMetricText } from './series-json.ts';
import { newestTextsJson, TextSeries } from './text-answers.ts';
import type { TimeWindow } from './time-window.ts';

/** Values in one answer, all series together; where more are asked for, the buckets become wider. */
const maxValues = 500_000;
/** Up to here an answer is one text, which identical requests share; a longer one is written while it is sent. */
const maxSharedValues = 10_000;
/** Up to here it is written at once. */
const maxMomentValues = 2_000;
/** The store works on one after the other: what waits there is served in order of arrival, so few may. */
const queryTurns = { slots: 16, perPrincipal: 8, maxWaiting: 200 };
/** What keeps the store or this thread busy for more than a moment: one of a caller at a time, whatever else it has open. */
const heavyTurns = { slots: 4, perPrincipal: 1, maxWaiting: 200 };
const heavyPoints = 1_000;
const heavyWindowMs = 6 * 3_600_000;
/** Downloads at once. */
const exportLimit = { code: 'too_many_exports', what: 'exports under way on this node', total: 100, laterSeconds: 10 };

export interface SeriesOptions {
  window: TimeWindow;
  /** Milliseconds; undefined is now. */
  endMs: number | undefined;
  maxPoints: number;
  aggregate: Aggregate;
}

/** JSON: whole, as text or bytes, or in pieces to be sent one after the other. */
export type JsonAnswer = WholeJson | Generator<WholeJson>;

export interface MetricsServiceOptions {
  network: Pick<Network, 'visibleTo' | 'moment'>;
  /** Charts poll every second: changes that other processes make may be so much later. Default: none are. */
  freshMs?: number;
  details: Pick<AgentDetailTexts, 'read'>;
  agents: Pick<AgentService, 'get'>;
  telemetry: TelemetryStore;
  presence: PresenceService;
  shares: Shares;
}

export class MetricsService {
  readonly #network: MetricsServiceOptions['network'];
  readonly #freshMs: number;
  readonly #details: MetricsServiceOptions['details'];
  readonly #agents: MetricsServiceOptions['agents'];
  readonly #telemetry: TelemetryStore;
  readonly #presence: PresenceService;
  readonly #queries: FairTurns;
  readonly #heavy: FairTurns;
  readonly #openExport: ReturnType<Shares['openOf']>;
  readonly #lists: LongLists;
  readonly #shared = new AnswerCache<() => JsonAnswer>((answer) => {
    const json = answer();
    return isWhole(json) ? json.length : Number.POSITIVE_INFINITY;
  });

  readonly #latestJson = new LatestJson();

  constructor({ network, freshMs = 0, details, agents, telemetry, presence, shares }: MetricsServiceOptions) {
    this.#network = network;
    this.#freshMs = freshMs;
    this.#details = details;
    this.#agents = agents;
    this.#telemetry = telemetry;
    this.#presence = presence;
    this.#queries = shares.turns('telemetry_queries', queryTurns);
    this.#heavy = shares.turns('heavy_queries', heavyTurns);
    this.#openExport = shares.openOf('exports', exportLimit);
    this.#lists = new LongLists(shares);
  }

  /** Every agent that the caller may see and the filter lists, ordered by ap_id, as JSON. */
  async agentDetails(caller: Caller, filter: AgentFilter = {}): Promise<LongList> {
    const { stateOf, sightOf } = await this.#network.moment({ state: needsStates(filter) });
    const toText = async (agents: readonly AgentRow[]) => {
      const listed = agents.filter((agent) => isListed(agent, filter, stateOf));
      return (await this.#details.read(listed)).join();
    };
    return this.#lists.write(caller, '[', ']', sightOf(caller).pages(undefined, true), toText);
  }

  /** All fields of one agent, moment by moment. Throws NotFoundError as every method here does that names an agent. */
  async agentData(ap_id: string, options: SeriesOptions, caller: Caller): Promise<JsonAnswer> {
    (await this.#network.visibleTo(caller, this.#freshMs)).require(ap_id);
    return this.#share(caller, ap_id, '27', options, async (range) => {
      const fields = await this.#telemetry.fields(ap_id, range.startMs);
      const maxPoints = boundedPoints(options.maxPoints, fields.length);
      const { aggregate } = options;
      const frame = await this.#telemetry.query({ ...range, ap_id, maxPoints, aggregate });
      const values = frame.ts.length * (frame.columns.size + frame.texts.size);
      const pieces = () => agentDataJson(ap_id, options.window.window_minutes, frame);
      if (values > maxSharedValues) return pieces;
      const text = (await allInSlices(pieces())).join('');
      return () => text;
    });
  }

  /** The points of these metrics, each in a list of its own. */
  async multiMetricData(
    ap_id: string,
    metrics: readonly string[],
    options: SeriesOptions,
    caller: Caller,
  ): Promise<JsonAnswer> {
    (await this.#network.visibleTo(caller, this.#freshMs)).require(ap_id);
    return this.#multiMetricData(ap_id, metrics, options, caller);
  }

  #multiMetricData(ap_id: string, metrics: readonly string[], options: SeriesOptions, caller: Caller) {
    // No name holds a comma: the list is unambiguous.
    return this.#share(caller, ap_id, `28 ${metrics.join()}`, options, async (range) => {
      const maxPoints = boundedPoints(options.maxPoints, metrics.length);
      const { aggregate } = options;
      const frame = await this.#telemetry.query({ ...range, ap_id, metrics, maxPoints, aggregate });
      const values = frame.ts.length * metrics.length;
      const { window_minutes } = options.window;
      if (values > maxSharedValues) return () => multiMetricJson(ap_id, window_minutes, metrics, frame);
      if (values > maxMomentValues) {
        const whole = Buffer.concat(await allInSlices(multiMetricJson(ap_id, window_minutes, metrics, frame)));
        return () => whole;
      }
      const text = multiMetricText(ap_id, window_minutes, metrics, frame);
      return () => text;
    });
  }

  /** The same of each of these agents that the caller may see; one after the other, so that others get their turns between. */
  async series(
    ap_ids: readonly string[],
    metrics: readonly string[],
    { band, texts, ...options }: SeriesOptions & { band: boolean; texts: boolean },
    caller: Caller,
  ): Promise<JsonAnswer> {
    const sight = await this.#network.visibleTo(caller);
    const asked = ap_ids.filter((ap_id) => sight.get(ap_id));
    const maxPoints = boundedPoints(options.maxPoints, asked.length * metrics.length * (band ? 3 : 1));
    const lists = new Map<string, JsonAnswer[]>();
    const wanted = { agents: options.aggregate, ...(band && ({ lows: 'min', highs: 'max' } as const)) };
    for (const [name, aggregate] of Object.entries(wanted)) {
      const found: JsonAnswer[] = [];
      for (const ap_id of asked) {
        found.push(await this.#multiMetricData(ap_id, metrics, { ...options, maxPoints, aggregate }, caller));
      }
      lists.set(name, found);
    }
    if (texts) {
      const endMs = options.endMs ?? Date.now();
      const range = { startMs: endMs - options.window.ms, endMs };
      const series = new TextSeries(this.#telemetry, metrics, maxPoints);
      const found: string[] = [];
      for (const ap_id of asked) {
        found.push(await this.#queries.run(principalOf(caller), () => series.json(ap_id, range)));
      }
      lists.set('texts', found);
    }
    const isShort = [...lists.values()].flat().every(isWhole);
    return isShort ? Buffer.concat([...jsonLists(lists)].map((piece) => Buffer.from(piece))) : jsonLists(lists);
  }

  /** The metrics that the agent reported within the window, ordered by name. */
  async agentMetrics(ap_id: string, window: TimeWindow, caller: Caller): Promise<AgentMetrics> {
    const { configuration } = await this.#agents.get(ap_id, caller);
    const fields = await this.#telemetry.fields(ap_id, Date.now() - window.ms);
    const metrics = fields
      .filter(({ kind }) => kind === 'metric')
      .map(({ name }) => ({ name, label: labelOf(name, configuration) }));
    return { agent_id: ap_id, window_minutes: window.window_minutes, metrics };
  }

  /** The newest value of every metric of every agent that the caller may see, as JSON; the filters narrow it down. */
  async latest(
    caller: Caller,
    {
      agents: agentFilter,
      metrics,
      texts,
    }: { agents?: readonly string[]; metrics?: readonly string[]; texts?: boolean },
  ): Promise<LongList> {
    const wanted = metrics && metrics.length > 0 ? new Set(metrics) : undefined;
    const textsOf = (ap_id: string) =>
      this.#queries.run(principalOf(caller), () => newestTextsJson(this.#telemetry, ap_id, wanted));
    const toBytes = async (agents: readonly AgentRow[]) => {
      const values = await this.#telemetry.latest(agents.map(({ ap_id }) => ap_id));
      const byAgent = new Map(values.map((value) => [value.ap_id, value]));
      const presence = await this.#presence.words(agents);
      const rows: LatestRow[] = agents.map(({ ap_id }, at) => {
        return { ap_id, presence: presence[at]!, latest: byAgent.get(ap_id) };
      });
      if (texts) for (const row of rows) row.texts = await textsOf(row.ap_id);
      return this.#latestJson.write(rows, wanted);
    };
    const sight = await this.#network.visibleTo(caller);
    return this.#lists.write(caller, '{"agents":[', ']}', sight.pages(agentFilter), toBytes);
  }

  /** The rows of a range as text in pieces; what follows the first piece is read only as fast as it is taken. */
  async exportRows(ap_id: string, options: ExportOptions, caller: Caller): Promise<AsyncGenerator<string>> {
    (await this.#network.visibleTo(caller)).require(ap_id);
    const release = this.#openExport(caller);
    // Never refused in the middle, however many long queries of the caller wait.
    const inTurn = <T>(work: () => Promise<T>) => this.#heavy.run(principalOf(caller), work, { isAhead: true });
    const pieces = exportPieces(this.#telemetry, ap_id, options, inTurn);
    try {
      // Read before the answer begins, so that an unreachable store is still a refusal and not a broken download.
      const first = await pieces.next();
      return heldWhileSent(first, pieces, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** To be called for each post once it is stored: what was read before must not be handed out any more. */
  recorded(ap_id: string): void {
    this.#shared.invalidate(ap_id);
  }

  async #share(
    caller: Caller,
    ap_id: string,
    what: string,
    { window, endMs, maxPoints, aggregate }: SeriesOptions,
    make: (range: { startMs: number; endMs: number }) => Promise<() => JsonAnswer>,
  ): Promise<JsonAnswer> {
    const key = `${window.ms} ${maxPoints} ${aggregate} ${endMs ?? 'now'} ${what}`;
    const start = () => {
      const end = endMs ?? Date.now();
      const read = () => make({ startMs: end - window.ms, endMs: end });
      const isHeavy = maxPoints > heavyPoints && window.ms > heavyWindowMs;
      // A heavy one does not wait among the others, and takes none of their slots.
      return (isHeavy ? this.#heavy : this.#queries).run(principalOf(caller), read);
    };
    for (;;) {
      try {
        return (await this.#shared.get(ap_id, key, start))();
      } catch (error) {
        // Whoever began it may have left since.
        if (!(error instanceof CallerGone) || leaving()?.()) throw error;
      }
    }
  }
}

/** `{"agents":[…],"lows":[…]}` */
function* jsonLists(lists: ReadonlyMap<string, readonly JsonAnswer[]>): Generator<WholeJson> {
  let before = '{';
  for (const [name, answers] of lists) {
    yield `${before}"${name}":[`;
    for (const [index, answer] of answers.entries()) {
      if (index > 0) yield ',';
      if (isWhole(answer)) yield answer;
      else yield* answer;
    }
    before = '],';
  }
  yield ']}';
}

function boundedPoints(maxPoints: number, series: number): number {
  return Math.max(1, Math.min(maxPoints, Math.floor(maxValues / Math.max(1, series))));
}
