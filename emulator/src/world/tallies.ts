// Sums by access point since its last report, from which its metrics are made.

const names = [
  ...['steps', 'attached', 'served', 'withSignal', 'signal', 'quality', 'ratio', 'code', 'rateMbps'],
  ...['load', 'utilisation', 'retries', 'deliveredBits', 'waitingBits'],
  /** Bits times seconds that they waited: over what was delivered, the mean time in the network. */
  ...['waitBitS', 'busyS', 'withData', 'budgetMet', 'upBits', 'upLoad', 'noiseMw', 'voiceBits'],
  ...['videoBits', 'gamingBits', 'webBits', 'bulkBits', 'sensorBits', 'handoversIn', 'handoversOut'],
  ...['toWifi', 'handoverAttempts', 'handoverFailures', 'linkFailures', 'pingPongs', 'underLamp'],
  ...['blocked', 'blockages', 'tiltDegrees', 'energyJ'],
] as const;

export type Tallies = Record<(typeof names)[number], Float64Array>;

export function createTallies(count: number): Tallies {
  return Object.fromEntries(names.map((name) => [name, new Float64Array(count)])) as Tallies;
}

export function resetTally(tallies: Tallies, index: number): void {
  for (const name of names) tallies[name][index] = 0;
}
