// The demo network of the first five minutes: twelve access points in Bristol, four of each kind. Which one this tab has
// started is remembered, so that the hint to it survives a reload.
import { signal } from '@preact/signals';
import { emulatedTechnologies } from '@weft/contract/emulated-model';
import { parseObject } from '@weft/contract/is-object';
import { call, type EmulatedAgent, type EmulatorSpinupRequest } from '../api/client.ts';
import { forget, keep, readKept } from './kept.ts';
import { queries } from './use-operation.ts';

export interface DemoNetwork {
  job_number: string;
  /** The access point that the hint points at: one that stands alone, so that it can be seen. */
  ap_id: string;
  count: number;
}

const storageKey = 'weft.demo';
const request: EmulatorSpinupRequest = {
  emulators: emulatedTechnologies.map((access_point_type) => ({
    access_point_type,
    num_access_points: 4,
    locations: ['Bristol'],
    num_devices: 10,
    duration: 3600,
    profile: 'always',
  })),
};

const stored = parseObject(readKept('tab', storageKey) ?? '') as DemoNetwork | undefined;
export const demoNetwork = signal(stored);

/** Rejects with Failure; then nothing was started. */
export async function startDemoNetwork(): Promise<void> {
  const { job_number, agents } = await call('emulator_spinup', { json: request });
  const isAlone = ({ ap_id, location }: EmulatedAgent) =>
    agents.every((other) => other.ap_id === ap_id || JSON.stringify(other.location) !== JSON.stringify(location));
  const shown = agents.find(isAlone) ?? agents[0]!;
  demoNetwork.value = { job_number, ap_id: shown.ap_id, count: agents.length };
  keep('tab', storageKey, JSON.stringify(demoNetwork.peek()));
  queries.refresh('metrics_', 'list_emulator_runs', 'list_jobs');
}

export function forgetDemoNetwork(): void {
  forget('tab', storageKey);
  demoNetwork.value = undefined;
}
