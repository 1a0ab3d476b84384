// What can be done with the access points that were chosen in the list.
import { useState } from 'preact/hooks';
import type { AgentListItem } from '../../../api/operations.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { formatNumber } from '../../../format/numbers.ts';
import { agentsText } from '../../../text/agents.ts';
import { LabelsDialog } from '../labels-dialog.tsx';

const text = agentsText.list;

interface ChosenAgentsProps {
  agents: readonly AgentListItem[];
  onClear: () => void;
}

export function ChosenAgents({ agents, onClear }: ChosenAgentsProps) {
  const [isLabelling, setLabelling] = useState(false);
  const mayAll = (what: AgentListItem['may'][number]) => agents.every(({ may }) => may.includes(what));
  const names = new URLSearchParams(agents.map(({ ap_id }) => ['agent', ap_id]));
  return (
    <section class="card chosen-agents" aria-label={text.chosenLabel}>
      <strong aria-live="polite">{text.chosen(formatNumber(agents.length))}</strong>
      {mayAll('manage') && (
        <Button icon="tag" size="small" onClick={() => setLabelling(true)}>
          {text.labels}
        </Button>
      )}
      {mayAll('command') && (
        <ButtonLink icon="commands" size="small" href={`/commands/new?${names}`}>
          {agentsText.one.sendCommand}
        </ButtonLink>
      )}
      {!mayAll('manage') && !mayAll('command') && <span class="soft small">{text.mayNot}</span>}
      <Button kind="quiet" size="small" onClick={onClear}>
        {text.chooseNone}
      </Button>
      {isLabelling && <LabelsDialog agents={agents} onClose={() => setLabelling(false)} />}
    </section>
  );
}
