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

/** A fleet that exists only in the browser: the two answers that lists and maps are made of. */
export function imagineFleet(count: number) {
  const technologies = ['5G', 'WiFi', 'LiFi'];
  const states = ['online', 'online', 'online', 'online', 'late', 'offline'];
  const seen = new Date().toISOString();
  const names = Array.from({ length: count }, (_, index) => `ap-${String(index + 1).padStart(5, '0')}`);
  const details = names.map((ap_id, index) => ({
    id: ap_id,
    ap_id,
    onboard: true,
    configuration: {
      access_point_type: technologies[index % 3],
      // A town with dense quarters, the same at every run.
      geolocation: {
        latitude: 51.45 + Math.sin(index * 12.9898) * 0.12 * Math.sin(index),
        longitude: -2.6 + Math.cos(index * 78.233) * 0.2 * Math.cos(index * 0.7),
      },
    },
  }));
  const agents = names.map((ap_id, index) => ({
    ap_id,
    presence: states[index % states.length],
    last_seen: seen,
    since: seen,
    reason: 'It is imagined.',
    report_interval_seconds: 1,
    channel: true,
    command_ready: true,
  }));
  return { names, details, presence: { agents } };
}
