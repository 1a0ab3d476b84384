// What can be made to go wrong with an access point, and for how long.

export const faultKinds = [
  'crash',
  'backhaul_cut',
  'clock_skew',
  'duplicate_samples',
  'late_samples',
  'jammed_channel',
  'command_ignored',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface FaultRequest {
  kind: FaultKind;
  /** 1 to 604800. */
  seconds: number;
  /**
   * How bad: seconds that the clock is ahead (clock_skew, -86400 to 86400, usually 30); seconds of delay (late_samples, 1 to
   * 3600, usually 30); share of samples sent twice (duplicate_samples, 0 to 1, usually 0.5); power of the jammer in dBm
   * (jammed_channel, 1 to 60, usually 20). The others have none.
   */
  amount?: number;
}

export interface Fault {
  kind: FaultKind;
  untilStep: number;
  amount: number;
  /** What a jammer jams. */
  channel?: number;
  widthMhz?: number;
}

const longestSeconds = 604_800;
const amounts: Partial<Record<FaultKind, { minimum: number; maximum: number; usual: number }>> = {
  clock_skew: { minimum: -86_400, maximum: 86_400, usual: 30 },
  late_samples: { minimum: 1, maximum: 3600, usual: 30 },
  duplicate_samples: { minimum: 0, maximum: 1, usual: 0.5 },
  jammed_channel: { minimum: 1, maximum: 60, usual: 20 },
};

/** Throws RangeError if the request makes no sense. */
export function toFault({ kind, seconds, amount }: FaultRequest, step: number): Fault {
  if (!faultKinds.includes(kind)) throw new RangeError(`a fault is one of ${faultKinds.join(', ')}`);
  if (!(seconds >= 1 && seconds <= longestSeconds)) throw new RangeError(`seconds must be 1 to ${longestSeconds}`);
  const range = amounts[kind];
  if (!range && amount !== undefined) throw new RangeError(`${kind} has no amount`);
  const size = amount ?? range?.usual ?? 0;
  if (range && !(size >= range.minimum && size <= range.maximum)) {
    throw new RangeError(`the amount of ${kind} must be ${range.minimum} to ${range.maximum}`);
  }
  return { kind, untilStep: step + Math.ceil(seconds), amount: size };
}

/** The fault of this kind that holds now, if any. */
export function faultOf(faults: readonly Fault[], kind: FaultKind): Fault | undefined {
  return faults.find((fault) => fault.kind === kind);
}
