// What would happen in this network: its access points, and the form for commands, which shows the effect before it sends.
import { useMemo, useState } from 'preact/hooks';
import type { FleetAgent } from '../../data/fleet.ts';
import { emulatorText } from '../../text/emulator.ts';
import { AgentList } from '../commands/agent-picker.tsx';
import { CommandForm } from '../commands/command-form.tsx';

const text = emulatorText.whatIf;

export function WhatIf({ agents }: { agents: readonly FleetAgent[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Presence changes all the time; what they can do does not.
  const key = agents.map(({ ap_id, configuration }) => ap_id + JSON.stringify(configuration.commands)).join();
  const targets = useMemo(() => agents.filter(({ ap_id }) => chosen.has(ap_id)), [chosen, key]);
  return (
    <section class="card stack">
      <div>
        <h2>{text.title}</h2>
        <p class="soft">{text.words}</p>
      </div>
      <div class="planner">
        <div class="stack" role="group" aria-label={text.agents}>
          <h3>{text.agents}</h3>
          <AgentList agents={agents} chosen={chosen} onChange={setChosen} />
        </div>
        {targets.every(({ configuration }) => configuration.commands !== undefined) ? (
          <CommandForm targets={targets} />
        ) : (
          <p class="soft">{text.notYet}</p>
        )}
      </div>
    </section>
  );
}
