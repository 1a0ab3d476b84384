// A small emulated network for the tests of the dashboard: four access points of each kind in Bristol, all of them online.
import { expect } from 'vitest';
import { eventually, type WeftServer } from './weft-process.ts';

export interface DemoAgent {
  ap_id: string;
  access_point_type: string;
  location: { latitude: number; longitude: number };
}

export async function startDemo(weft: WeftServer, token: string): Promise<DemoAgent[]> {
  const emulators = ['5G', 'WiFi', 'LiFi'].map((access_point_type) => ({
    access_point_type,
    num_access_points: 4,
    locations: ['Bristol'],
    num_devices: 10,
    duration: 900,
  }));
  const answer = await weft.request('POST', '/api/v1/emulator/spinup', { token, json: { emulators, seed: 11 } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { agents } = answer.body as { agents: DemoAgent[] };
  await eventually(
    async () => {
      const { body } = await weft.request('GET', '/api/v1/metrics/presence', { token });
      return body.agents.filter(({ presence }: { presence: string }) => presence === 'online').length as number;
    },
    (count) => count === agents.length,
  );
  return agents;
}
