// Whether a roll-out may go on: the change of a metric where the new settings are against its change where they are not, over the
// same minutes. A network that is worse everywhere stops nothing; one that is worse where we were does.
import type { Rollout } from '@weft/contract/operations';

export type Measured = Rollout['measured'][number];
/** `seen_by`: the id of the caller that may see all that was measured. */
export type StoredMeasured = Measured & { seen_by?: string | undefined };

/** Means over agents, of the time before the wave and of the time since; null where nobody reported. */
export interface Means {
  before: number | null;
  after: number | null;
}

/** Fewer untreated ones say nothing. */
export const fewestUntreated = 5;

/** `worse_by` above 0: higher values are worse; below 0: lower ones are. */
export function judge(
  gate: { metric: string; worse_by: number },
  wave: number,
  treated: Means,
  untreated: Means & { agents: number },
): Measured {
  const isCompared = untreated.agents >= fewestUntreated && changeOf(untreated) !== null;
  const own = changeOf(treated);
  const change = own === null ? null : own - (isCompared ? changeOf(untreated)! : 0);
  const worse = change === null ? null : gate.worse_by < 0 ? -change : change;
  return {
    wave: wave + 1,
    metric: gate.metric,
    treated_before: treated.before,
    treated_after: treated.after,
    untreated_before: untreated.before,
    untreated_after: untreated.after,
    worse_by: worse,
    compared_with: isCompared ? 'untreated' : 'own_hour_before',
    // Without measurements nothing can be said, and nothing goes on.
    passed: worse !== null && worse < Math.abs(gate.worse_by),
  };
}

function changeOf({ before, after }: Means): number | null {
  return before === null || after === null ? null : after - before;
}

export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
