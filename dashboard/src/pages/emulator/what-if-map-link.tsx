// From the result of a what-if analysis to the map, which shows where the commands would change what is received.
import { useEffect } from 'preact/hooks';
import { ButtonLink } from '../../components/button.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { radioMapText } from '../../text/radio-map.ts';
import { differenceAddress, keepDifference } from '../map/planned-difference.ts';

/** Longer ahead the map would show another hour rather than the commands. */
const mostSeconds = 60;

interface WhatIfMapLinkProps {
  job_number: string;
  commands: { agent_id: string; command: string }[];
  minutes: number;
  agents: readonly FleetAgent[];
}

export function WhatIfMapLink({ job_number, commands, minutes, agents }: WhatIfMapLinkProps) {
  const technology = agents.find(({ ap_id }) => ap_id === commands[0]?.agent_id)?.technology ?? '5G';
  const { link, linkWords } = radioMapText.difference;
  const after_seconds = Math.max(1, Math.min(mostSeconds, Math.round(minutes * 60)));
  useEffect(() => keepDifference(job_number, { commands, after_seconds }), [JSON.stringify(commands), after_seconds]);
  return (
    <p class="cluster">
      <ButtonLink icon="map" href={differenceAddress(job_number, technology)}>
        {link}
      </ButtonLink>
      <span class="soft small">{linkWords}</span>
    </p>
  );
}
