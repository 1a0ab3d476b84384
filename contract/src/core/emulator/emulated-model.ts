// What the core says of emulated networks and their model has too: its version, and what devices do.

/** Of the physics: another one gives other numbers for the same seed. */
export const modelVersion = 3;

export const trafficClasses = ['voice', 'video', 'gaming', 'web', 'bulk', 'sensor'] as const;
export type TrafficClass = (typeof trafficClasses)[number];
/** Shares of devices by class; they need not sum to one. */
export type TrafficMix = Partial<Record<TrafficClass, number>>;

export const usualMix: Required<TrafficMix> = {
  voice: 0.1,
  video: 0.25,
  gaming: 0.1,
  web: 0.35,
  bulk: 0.1,
  sensor: 0.1,
};
