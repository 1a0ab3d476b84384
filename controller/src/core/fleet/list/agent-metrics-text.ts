// The newest values of all agents in Prometheus' text format, one line a value. The names of metrics are labels: those that
// agents choose need not be names of Prometheus.
import { inSlices } from '../../base/time-slices.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { NetworkMoment } from '../../network/network.ts';
import type { Sight } from '../../network/sight.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';
const agentsAtOnce = 20;
/** Some 50 MB of text. */
const maxValues = 500_000;
/** Prometheus keeps what it reads as a value of now. */
const staleMs = 300_000;

export interface AgentMetricsOptions {
  moment: NetworkMoment;
  passes: (agent: AgentRow) => boolean;
  sight: Sight<AgentRow>;
  telemetry: Pick<TelemetryStore, 'latest'>;
  /** Default: all. */
  metrics: ReadonlySet<string> | undefined;
  nowMs: number;
}

/** In pieces; what is left out because there is too much is counted at the end. */
export async function* agentMetricsText(options: AgentMetricsOptions): AsyncGenerator<string> {
  const { moment, passes, sight, telemetry, metrics, nowMs } = options;
  const agents: AgentRow[] = [];
  await inSlices(moment.agents, (agent) => {
    if (passes(agent) && sight.sees(agent)) agents.push(agent);
  });
  yield* presenceText(agents, moment);
  yield head('weft_agent_value', 'Newest value of a metric that an access point has reported, at most 5 minutes old');
  let count = 0;
  let leftOut = 0;
  for (let start = 0; start < agents.length; start += agentsAtOnce) {
    const part = agents.slice(start, start + agentsAtOnce);
    if (count >= maxValues) {
      leftOut += part.length;
      continue;
    }
    const values = await telemetry.latest(part.map(({ ap_id }) => ap_id));
    const byApId = new Map(part.map((agent) => [agent.ap_id, labelsOf(agent)]));
    const lines: string[] = [];
    for (const latest of values) {
      const labels = byApId.get(latest.ap_id);
      for (const { name, ts, value } of latest.metrics) {
        if (Math.abs(nowMs - ts) > staleMs || metrics?.has(name) === false) continue;
        lines.push(`weft_agent_value{${labels},metric="${escaped(name)}"} ${value}\n`);
      }
    }
    count += lines.length;
    yield lines.join('');
  }
  yield head('weft_agents_left_out', 'Access points whose values are not in this answer because it has too many');
  yield `weft_agents_left_out ${leftOut}\n`;
}

function* presenceText(agents: readonly AgentRow[], moment: NetworkMoment): Generator<string> {
  function* list(read: (agent: AgentRow) => number | undefined, name: string) {
    for (const agent of agents) {
      const value = read(agent);
      if (value !== undefined) yield `${name}{${labelsOf(agent)}} ${value}\n`;
    }
  }
  yield head('weft_agent_up', 'Whether the access point is online');
  yield* list((agent) => Number(moment.stateOf(agent) === 'online'), 'weft_agent_up');
  yield head('weft_agent_last_seen_timestamp_seconds', 'When it last reported');
  const lastSeen = (agent: AgentRow) => {
    const ms = moment.lastSeenOf(agent);
    return ms === null ? undefined : ms / 1000;
  };
  yield* list(lastSeen, 'weft_agent_last_seen_timestamp_seconds');
}

function head(name: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n`;
}

function labelsOf({ ap_id, display_name, site, access_point_type }: AgentRow): string {
  const labels = { ap_id, name: display_name ?? ap_id, site: site ?? '', technology: access_point_type ?? '' };
  return Object.entries(labels)
    .map(([label, value]) => `${label}="${escaped(value)}"`)
    .join(',');
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
