// Chooses access points: from a list that can be filtered, or by a pattern over their names.
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { SearchInput, useDraft } from '../../../components/forms/draft.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { filterRows, toggled } from '../../../components/tables/table-view.ts';
import { agentName, byName } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { formatCount, formatNumber } from '../../../format.ts';
import { commandsText } from '../../../text/pages.ts';
import './agent-picker.css';

const filterText = 'Filter access points';

/** More would make the page slow; typing narrows the list. */
const maxShown = 100;

interface AgentListProps {
  agents: readonly FleetAgent[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

const wordsOf = ({ ap_id, technology, site, tags }: FleetAgent) =>
  `${ap_id} ${technology ?? ''} ${site} ${agentName(ap_id)} ${tags.join(' ')}`;

export function AgentList({ agents, chosen, onChange }: AgentListProps) {
  const [filter, setFilter] = useState('');
  const matching = useMemo(() => byName(filterRows(agents, wordsOf, filter)), [agents, filter]);
  const shown = matching.slice(0, maxShown);
  const turn = (ap_id: string) => onChange(toggled(chosen, ap_id));
  return (
    <div class="agent-list">
      <div class="cluster">
        <SearchInput
          value={filter}
          onCommit={setFilter}
          isLive
          attributes={{ placeholder: filterText, 'aria-label': filterText }}
        />
        <Button size="small" onClick={() => onChange(new Set([...chosen, ...shown.map(({ ap_id }) => ap_id)]))}>
          {`Select the ${formatNumber(shown.length)} shown`}
        </Button>
        {chosen.size > 0 && (
          <Button size="small" kind="quiet" onClick={() => onChange(new Set())} words="Clear selection" />
        )}
        <span class="faint small" aria-live="polite">
          {`${formatNumber(chosen.size)} of ${formatNumber(agents.length)} selected`}
        </span>
      </div>
      <ul class="agent-choices" aria-label={commandsText.picker.label}>
        {shown.map((agent) => (
          <li key={agent.ap_id}>
            <label title={agent.ap_id}>
              <input type="checkbox" checked={chosen.has(agent.ap_id)} onChange={() => turn(agent.ap_id)} />
              <Glyph technology={agent.technology} state={agent.state} />
              <span>{agentName(agent.ap_id)}</span>
            </label>
          </li>
        ))}
        {shown.length === 0 && <li class="soft">No access points match this filter.</li>}
      </ul>
      {matching.length > shown.length && (
        <p class="faint small">{`${formatNumber(matching.length - shown.length)} more: type part of a name to find them`}</p>
      )}
    </div>
  );
}

interface PatternProps {
  pattern: string;
  count: number;
  onChange: (pattern: string) => void;
}

export function AgentPattern({ pattern, count, onChange }: PatternProps) {
  return (
    <div class="field">
      <label for="agent-pattern">Pattern</label>
      <input
        id="agent-pattern"
        class="input mono"
        spellcheck={false}
        autoCapitalize="none"
        placeholder="ap-lab-*"
        aria-describedby="agent-pattern-hint"
        {...useDraft(pattern, onChange, { isLive: true })}
      />
      <p id="agent-pattern-hint" class="below" aria-live="polite">
        * matches any text, ? matches one character
        {pattern !== '' && ` · matches ${formatCount(count, 'access point')}`}
      </p>
    </div>
  );
}
