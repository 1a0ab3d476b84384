// A small emulated network for the tests of the dashboard: access points of each kind in Bristol, all of them online.
import { expect } from 'vitest';
import { shortAgentName } from '../dashboard/src/format.ts';
import { eventually, type Weft } from './weft-process.ts';

export interface DemoAgent {
  ap_id: string;
  access_point_type: string;
  location: { latitude: number; longitude: number };
  /** What pages call it. */
  name: string;
}

/** It reports seldom, because what is new is drawn. Two of each kind are enough where what is asked about it is work. */
export async function startDemo(weft: Weft, token: string, num_access_points = 4): Promise<DemoAgent[]> {
  const emulators = ['5G', 'WiFi', 'LiFi'].map((access_point_type) => ({
    access_point_type,
    num_access_points,
    locations: ['Bristol'],
    num_devices: 10,
    duration: 900,
  }));
  const answer = await weft.request('POST', '/api/v1/emulator/spinup', {
    token,
    json: { emulators, seed: 11, report_interval_seconds: 5 },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { agents } = answer.body as { agents: Omit<DemoAgent, 'name'>[] };
  await eventually(
    async () => {
      const { body } = await weft.request('GET', '/api/v1/metrics/presence', { token });
      return body.agents.filter(({ presence }: { presence: string }) => presence === 'online').length as number;
    },
    (count) => count === agents.length,
  );
  const { body } = await weft.request('GET', '/api/v1/agents/?limit=1000', { token });
  const listed = body.items as { ap_id: string; display_name: string | null }[];
  const names = new Map(listed.map(({ ap_id, display_name }) => [ap_id, display_name ?? shortAgentName(ap_id)]));
  return agents.map((agent) => ({ ...agent, name: names.get(agent.ap_id)! }));
}
