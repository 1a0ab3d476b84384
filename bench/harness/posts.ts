// Single posts of telemetry (#21), ready to be sent: to Weft, and to the bare server that is the floor of what they cost.
import { Radio, type StoredAgent } from './fleet.ts';
import { requestBytes } from './load.ts';

/** One post of each agent, by a count. */
export function readyPosts(base: string, fleet: readonly StoredAgent[]): (count: number) => Buffer {
  const ready = fleet.map((agent) =>
    jsonPost(base, agent, JSON.stringify({ ap_id: agent.ap_id, payload: new Radio().fields() })),
  );
  return (count) => ready[count % ready.length]!;
}

export function jsonPost(base: string, { token }: StoredAgent, body: string): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return requestBytes('POST', `${base}/api/v1/agent_update/update`, headers, body);
}
