// What people call an access point; its id is in the tooltip.
import './agent-name.css';
import { agentName } from '../data/agent-names.ts';

export function AgentName({ ap_id }: { ap_id: string }) {
  const name = agentName(ap_id);
  return <span title={name === ap_id ? undefined : ap_id}>{name}</span>;
}

/** Names of one network differ at their end: there is room for as much. */
const endLength = 4;

/** The same for a narrow cell, where it is cut before its end. */
export function NarrowAgentName({ ap_id }: { ap_id: string }) {
  const characters = [...agentName(ap_id)];
  // Behind what was left out already: nothing is cut in two places.
  const end = characters.lastIndexOf('…') + 1 || Math.max(0, characters.length - endLength);
  return (
    <span class="narrow-name" title={ap_id}>
      <span>{characters.slice(0, end).join('')}</span>
      <span>{characters.slice(end).join('')}</span>
    </span>
  );
}
