// The name of an agent, shortened where it carries the number of a run; the whole name is in the tooltip.
import './agent-name.css';
import { shortAgentName } from '../format/short-agent-name.ts';

export function AgentName({ ap_id }: { ap_id: string }) {
  const short = shortAgentName(ap_id);
  return <span title={short === ap_id ? undefined : ap_id}>{short}</span>;
}

/** Names of one network differ at their end: there is room for as much. */
const endLength = 4;

/** The same for a narrow cell, where it is cut before its end. */
export function NarrowAgentName({ ap_id }: { ap_id: string }) {
  const characters = [...shortAgentName(ap_id)];
  // Behind what was left out already: nothing is cut in two places.
  const end = characters.lastIndexOf('…') + 1 || Math.max(0, characters.length - endLength);
  return (
    <span class="narrow-name" title={ap_id}>
      <span>{characters.slice(0, end).join('')}</span>
      <span>{characters.slice(end).join('')}</span>
    </span>
  );
}
