// What the core says of emulated networks and their model has too: its version, its technologies, and what devices do.
import type { Technology } from '../technologies.ts';

/** Of the physics: another one gives other numbers for the same seed. */
export const modelVersion = 3;

/** Those that the emulator has a model of, in the order of its tables. */
export const emulatedTechnologies = ['5G', 'WiFi', 'LiFi'] as const satisfies readonly Technology[];
export type EmulatedTechnology = (typeof emulatedTechnologies)[number];

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
