// The name of an agent, shortened where it carries the number of a run; the whole name is in the tooltip.
import { shortAgentName } from '../format/short-agent-name.ts';

export function AgentName({ ap_id }: { ap_id: string }) {
  const short = shortAgentName(ap_id);
  return <span title={short === ap_id ? undefined : ap_id}>{short}</span>;
}
