// Commands that were never sent, because somebody else held what they wanted to change.

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Answer } from '../../api/client.ts';
import { call } from '../../api/client.ts';
import type { Conflict } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { agentName } from '../../data/agent-names.ts';
import { useFeed } from '../../data/use-feed.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatMoment } from '../../format/times.ts';
import { commandsText } from '../../text/commands.ts';
import { RivalLink } from './command-link.tsx';
import { decisionSentence, parameterWords, withFullStop } from './decision-words.ts';
import { VerdictChip } from './verdict-chip.tsx';

const limit = 100;

export function RejectedList({ agent, tools }: { agent: string; tools: ComponentChildren }) {
  const query = { limit, ...(agent !== '' && { agent }) };
  const newest = useOperation('list_conflicts', { query }, { pollMs: 3000 });
  const { rows, failure, loadOlder, isLoadingOlder } = useFeed({
    key: JSON.stringify(query),
    newest,
    toPage: ({ conflicts, next_before }: Answer<'list_conflicts'>) => ({
      rows: conflicts,
      next: next_before ?? undefined,
    }),
    readOlder: (before) => call('list_conflicts', { query: { ...query, before } }),
    idOf: ({ seq }) => seq,
  });
  const rejected = useMemo(() => rows?.filter(({ verdict }) => verdict === 'rejected'), [rows]);
  return (
    <div class="table-frame">
      <div class="table-tools">{tools}</div>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_conflicts')} />}
      {!rejected && !failure && <SkeletonLines count={8} />}
      {rejected?.length === 0 && <p class="soft commands-none">{commandsText.empty.noneRejected}</p>}
      {rejected && rejected.length > 0 && (
        <ul class="card rejections">
          {rejected.map((conflict) => (
            <Rejection key={conflict.seq} conflict={conflict} />
          ))}
        </ul>
      )}
      {loadOlder && (
        <div>
          <Button isBusy={isLoadingOlder} onClick={loadOlder}>
            {commandsText.older}
          </Button>
        </div>
      )}
    </div>
  );
}

function Rejection({ conflict }: { conflict: Conflict }) {
  const { ap_id, parameter, ts } = conflict;
  return (
    <li>
      <VerdictChip verdict="rejected" />
      <a href={`/agents/${encodeURIComponent(ap_id)}`} title={ap_id}>
        {agentName(ap_id)}
      </a>
      <span class="soft">{parameterWords(parameter)}</span>
      <span class="sentence">
        {withFullStop(decisionSentence(conflict))} <RivalLink rival={conflict.rival} />
      </span>
      <time class="faint" dateTime={ts}>
        {formatMoment(Date.parse(ts))}
      </time>
    </li>
  );
}
