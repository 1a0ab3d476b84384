// Ends the emulated networks of a caller with the caller, or those that it may no longer have: a step inside of the
// transaction that changes the caller's record.
import { type Caller, type CallerChange, isEnded } from '../base/caller.ts';
import { PermissionError } from '../base/errors.ts';
import { emulatorStarters, requirePermission } from '../base/rights/permission.ts';
import { rightsOf } from '../base/rights/rights.ts';
import type { SqlQueries } from '../base/storage/sql-database.ts';
import { type StepOutcome, together } from '../event-kinds.ts';
import { endJobs, type JobEndingOptions, whyEnded } from '../jobs/mailbox/job-ending.ts';
import type { EmulatorRunStore, NewRun } from './emulator-run-store.ts';
import type { RunCloser } from './run-closer.ts';
import { runEnded } from './run-records.ts';

export interface RunEndingOptions extends Pick<JobEndingOptions, 'mailbox' | 'tell' | 'retentionMs' | 'now'> {
  runs: Pick<EmulatorRunStore, 'listOwned'>;
  closer: Pick<RunCloser, 'closeWithin'>;
}

export class RunEnding {
  readonly #options: RunEndingOptions;
  readonly #now: () => number;

  constructor(options: RunEndingOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  readonly step = async (tx: SqlQueries, change: CallerChange): Promise<StepOutcome> => {
    const { kind, id, by, what } = change;
    if (kind === 'agent' || (!isEnded(change) && !change.caller)) return {};
    const { runs, closer, tell } = this.#options;
    const open = await runs.listOwned(tx, { owner_kind: kind, owner_id: id });
    const ends = isEnded(change) ? open : notPermitted(change.caller!, open);
    if (ends.length === 0) return {};
    const nowMs = this.#now();
    const detail = whyEnded(change);
    const outcomes: StepOutcome[] = [];
    for (const run of ends) {
      const closed = await closer.closeWithin(tx, run, by, { state: 'cancelled', detail, nowMs, reason: what });
      if (closed) outcomes.push({ entries: [runEnded(by, closed.run, what)] }, closed);
    }
    const messages = await endJobs(tx, this.#options, nowMs, ends, 'cancelled', detail);
    return together([{ committed: () => tell(messages) }, ...outcomes]);
  };
}

/** Throws PermissionError if this run is more than its owner, an app, may have now. */
export async function requireRunRight(
  tx: SqlQueries,
  runs: Pick<EmulatorRunStore, 'listOwned'>,
  app: Caller,
  run: NewRun,
): Promise<void> {
  const { owner_kind, owner_id } = run;
  const all: Pick<NewRun, 'access_points'>[] = [...(await runs.listOwned(tx, { owner_kind, owner_id })), run];
  if (notPermitted(app, all).includes(run)) throw new PermissionError();
}

/** All of them, or the newest of an app whose limit is below what it has. */
function notPermitted<Run extends Pick<NewRun, 'access_points'>>(caller: Caller, open: readonly Run[]): readonly Run[] {
  try {
    requirePermission(emulatorStarters, caller);
  } catch {
    return open;
  }
  const limit = rightsOf(caller).limits.emulator;
  if (typeof limit !== 'object' || limit.max_access_points === undefined) return [];
  let left = limit.max_access_points;
  return open.filter(({ access_points }) => {
    left -= access_points;
    return left < 0;
  });
}
