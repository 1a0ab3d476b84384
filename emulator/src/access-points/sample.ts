// What leaves an access point, and what waits to leave.

/** What an access point reports for one moment; `ts` in milliseconds, by its own clock. */
export interface Sample {
  ap_id: string;
  ts: number;
  fields: Readonly<Record<string, number>>;
}

export interface HeldSample {
  sample: Sample;
  leavesAtStep: number;
}
