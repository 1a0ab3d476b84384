// The metrics that commands change most, with and without them, and how certain the difference is.

import { useMemo } from 'preact/hooks';
import type { WhatIfAnswer } from '../../api/operations.ts';
import { agentName } from '../../data/agent-names.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { metricWords } from '../../data/metric-words.ts';
import { emulatorText } from '../../text/emulator.ts';
import { biggestChanges, type Change, formatAmount, formatChange } from './what-if-view.ts';

const text = emulatorText.whatIf;
const shownChanges = 12;

interface WhatIfChangesProps {
  answer: WhatIfAnswer;
  agents: readonly FleetAgent[];
}

export function WhatIfChanges({ answer, agents }: WhatIfChangesProps) {
  const changes = useMemo(() => biggestChanges(answer, shownChanges), [answer]);
  const configurations = new Map(agents.map(({ ap_id, configuration }) => [ap_id, configuration]));
  const column = text.column;
  if (changes.length === 0) return <p class="soft">{text.noChanges}</p>;
  return (
    <section class="stack">
      <div>
        <h3>{text.changes}</h3>
        {!answer.exact && <p class="soft small">{text.intervalWords}</p>}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="plain-table-frame" tabIndex={0} role="region" aria-label={text.changes}>
        <table class="plain-table what-if-changes">
          <thead>
            <tr>
              <th scope="col">{column.agent}</th>
              <th scope="col">{column.metric}</th>
              <th scope="col" class="end is-wide">
                {column.without}
              </th>
              <th scope="col" class="end is-wide">
                {column.with}
              </th>
              <th scope="col" class="end">
                {column.difference}
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <ChangeRow
                key={`${change.agent_id} ${change.metric}`}
                change={change}
                {...metricWords(configurations.get(change.agent_id) ?? {}, change.metric)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ChangeRow({ change, label, unit }: { change: Change; label: string; unit: string }) {
  const { agent_id, with: after, without, change: difference, isCertain } = change;
  return (
    <tr class={isCertain ? 'is-certain' : 'soft'}>
      <td>
        <a href={`/agents/${encodeURIComponent(agent_id)}`}>{agentName(agent_id)}</a>
      </td>
      <td>
        {label}
        <span class="is-narrow small faint">{text.fromTo(formatAmount(without, unit), formatAmount(after, unit))}</span>
      </td>
      <td class="end is-wide">{formatAmount(without, unit)}</td>
      <td class="end is-wide">{formatAmount(after, unit)}</td>
      <td class="end">
        {isCertain ? <strong>{formatChange(difference, unit)}</strong> : formatChange(difference, unit)}
        {!isCertain && <span class="what-if-doubt small faint">{text.uncertain}</span>}
      </td>
    </tr>
  );
}
