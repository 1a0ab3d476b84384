// Radio maps of running networks: asked of the process that runs the network, computed there, and answered while the caller
// waits. Callers share the work fairly, and equal questions are asked once.
import type {
  CoverageAnswer,
  CoverageBounds,
  CoverageDifference,
  CoverageDifferenceRequest,
  CoverageQuery,
} from '@weft/contract/lab';
import type { Caller } from '../../core/base/caller.ts';
import { TryLaterError } from '../../core/base/errors.ts';
import { invalidValue } from '../../core/base/input/value-rules.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import { principalOf, type Shares } from '../../core/base/shares/shares.ts';
import type { EmulatorLeaseService } from '../../core/networks/emulator-lease-service.ts';
import type { EmulatorService } from '../../core/networks/emulator-service.ts';
import { toCoverage, toDifference } from './coverage-rasters.ts';

export interface CoverageServiceOptions {
  emulator: Pick<EmulatorService, 'requireRunning' | 'requireMembers'>;
  leases: Pick<EmulatorLeaseService, 'ask'>;
  shares: Shares;
}

/** A map takes less than a second; a difference runs two copies of the network ahead. */
const withinMs = { map: 15_000, difference: 45_000 };
const turnLimits = { slots: 8, perPrincipal: 2, maxWaiting: 8 };
const usualSide = 128;

export class CoverageService {
  readonly #options: CoverageServiceOptions;
  readonly #turns: FairTurns;
  readonly #asks = new SharedAsks<Record<string, unknown>>();

  constructor(options: CoverageServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('radio_maps', turnLimits);
  }

  /**
   * Throws ValidationError, NotFoundError `run_not_found`, ConflictError `run_over` or `run_not_started`, TryLaterError 429
   * if too many of the caller wait, 503 `emulator_silent` if the process that runs the network does not answer.
   */
  async map(
    caller: Caller,
    job_number: string,
    { encoding = 'int16', ...query }: CoverageQuery,
    gone: AbortSignal,
  ): Promise<CoverageAnswer> {
    const body = toBody(query, 'query');
    await this.#options.emulator.requireRunning(caller, job_number);
    const answer = await this.#ask(caller, job_number, body, 'query', gone);
    return toCoverage({ ...answer, job_number } as CoverageAnswer, encoding);
  }

  /** As `map`; also throws NotFoundError `agent_not_found`. */
  async difference(
    caller: Caller,
    job_number: string,
    { encoding = 'int16', commands, after_seconds = 30, ...query }: CoverageDifferenceRequest,
    gone: AbortSignal,
  ): Promise<CoverageDifference> {
    const { emulator } = this.#options;
    const body = { ...toBody(query, 'body'), commands, after_seconds };
    await emulator.requireRunning(caller, job_number);
    await emulator.requireMembers(
      job_number,
      commands.map(({ agent_id }) => agent_id),
    );
    const answer = await this.#ask(caller, job_number, body, 'body', gone);
    return toDifference({ ...answer, job_number } as Omit<CoverageDifference, 'difference'>, encoding);
  }

  #ask(
    caller: Caller,
    job_number: string,
    body: Record<string, unknown>,
    place: 'query' | 'body',
    gone: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { leases } = this.#options;
    const limitMs = place === 'query' ? withinMs.map : withinMs.difference;
    const options = { withinMs: limitMs, place, by: caller };
    const ask = (signal: AbortSignal) => leases.ask(job_number, 'coverage', body, { ...options, signal });
    const key = `${job_number} ${JSON.stringify(body)}`;
    return this.#turns.run(principalOf(caller), () => this.#asks.ask(key, gone, ask), { signal: gone });
  }
}

function toBody(query: Omit<CoverageQuery, 'encoding'>, place: 'query' | 'body'): Record<string, unknown> {
  const { layer, technology, height, bounds, columns = usualSide, rows = usualSide } = query;
  return {
    layer,
    technology,
    ...(height !== undefined && { height }),
    ...(bounds !== undefined && { bounds: parseBounds(bounds, place) }),
    columns,
    rows,
  };
}

// The part of the world that a radio map shows, as it is written in a query.

/** `south,west,north,east` in degrees. Throws ValidationError. */
export function parseBounds(text: string, place: 'query' | 'body'): CoverageBounds {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [south, west, north, east] = parts as [number, number, number, number];
  if (parts.length !== 4 || !parts.every(Number.isFinite)) {
    throw invalidValue([place, 'bounds'], 'bounds must be four numbers: south,west,north,east');
  }
  if (south < -90 || north > 90 || !(south < north)) {
    throw invalidValue([place, 'bounds'], 'south must be below north, both from -90 to 90');
  }
  if (Math.abs(west) > 540 || !(west < east) || east - west > 360) {
    throw invalidValue([place, 'bounds'], 'west must be less than east; add 360 to east beyond the 180th meridian');
  }
  return { south, west, north, east };
}

// Equal questions that are open at the same time are asked once. The question is given up when nobody waits for it any more.
interface Open<Value> {
  answer: Promise<Value>;
  control: AbortController;
  waiting: number;
}

export class SharedAsks<Value> {
  readonly #open = new Map<string, Open<Value>>();

  /** Resolves or rejects as `ask` does, for everybody alike; rejects with TryLaterError once `gone` is aborted. */
  async ask(key: string, gone: AbortSignal, ask: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    if (gone.aborted) throw callerGone();
    const open = this.#open.get(key) ?? this.#begin(key, ask);
    open.waiting++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(callerGone());
    gone.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([open.answer, left]);
    } finally {
      gone.removeEventListener('abort', leave);
      open.waiting--;
      if (open.waiting === 0) {
        this.#forget(key, open);
        open.control.abort(callerGone());
      }
    }
  }

  #begin(key: string, ask: (signal: AbortSignal) => Promise<Value>): Open<Value> {
    const control = new AbortController();
    const open: Open<Value> = { answer: ask(control.signal), control, waiting: 0 };
    // Somebody who asks later wants a later answer.
    const forget = () => this.#forget(key, open);
    open.answer.then(forget, forget);
    this.#open.set(key, open);
    return open;
  }

  #forget(key: string, open: Open<Value>): void {
    if (this.#open.get(key) === open) this.#open.delete(key);
  }
}

function callerGone(): TryLaterError {
  return new TryLaterError(503, 'caller_gone', 'The connection was closed before the answer', 1);
}
