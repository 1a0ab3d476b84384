// Commands that were never sent, because somebody else held what they wanted to change.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Conflict } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Loading } from '../../../components/feedback.tsx';
import { OlderButton } from '../../../components/tables/filter-bar.tsx';
import { usePages } from '../../../data/use-feed.ts';
import { formatMoment } from '../../../format.ts';
import { commandsText } from '../../../text/pages.ts';
import { RivalLink, VerdictChip } from './command-marks.tsx';
import { decisionSentence, parameterWords, withFullStop } from './command-words.ts';

const limit = 100;

export function RejectedList({ agent, tools }: { agent: string; tools: ComponentChildren }) {
  const query = { limit, ...(agent !== '' && { agent }) };
  const feed = usePages('list_conflicts', { query }, { pollMs: 3000 });
  const { rows, failure } = feed;
  const rejected = useMemo(() => rows?.filter(({ verdict }) => verdict === 'rejected'), [rows]);
  return (
    <div class="table-frame">
      <div class="table-tools">{tools}</div>
      <Loading data={rejected} failure={failure} again="list_conflicts" lines={8} />
      {rejected?.length === 0 && <p class="soft commands-none">No commands were rejected.</p>}
      {rejected && rejected.length > 0 && (
        <ul class="card rejections">
          {rejected.map((conflict) => (
            <Rejection key={conflict.seq} conflict={conflict} />
          ))}
        </ul>
      )}
      <OlderButton feed={feed} words={commandsText.older} />
    </div>
  );
}

function Rejection({ conflict }: { conflict: Conflict }) {
  const { ap_id, parameter, ts } = conflict;
  return (
    <li>
      <VerdictChip verdict="rejected" />
      <AgentLink ap_id={ap_id} />
      <span class="soft">{parameterWords(parameter)}</span>
      <span class="sentence">
        {withFullStop(decisionSentence(conflict))} <RivalLink rival={conflict.rival} />
      </span>
      <time class="faint" dateTime={ts}>
        {formatMoment(ts)}
      </time>
    </li>
  );
}
