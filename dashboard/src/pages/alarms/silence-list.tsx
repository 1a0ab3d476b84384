// Silences and maintenance windows: which access points, when, and by whom.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Silence } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { useIsManager } from '../../data/own-rights.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatMoment } from '../../format/times.ts';
import { alarmsText } from '../../text/alarms.ts';
import { SilenceDialog } from './silence-dialog.tsx';
import { isOver, whenWords } from './silence-form.ts';

const text = alarmsText.silences;

export function SilenceList() {
  const { data, failure } = useOperation('list_silences', {}, { pollMs: 15_000 });
  const [isCreating, setCreating] = useState(false);
  const [ending, setEnding] = useState<Silence | undefined>(undefined);
  const isManager = useIsManager();
  const create = isManager && (
    <Button icon="plus" kind="primary" onClick={() => setCreating(true)}>
      {text.create}
    </Button>
  );
  return (
    <>
      <div class="spread">
        <p class="soft">{text.words}</p>
        {data && data.items.length > 0 && create}
      </div>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_silences')} />}
      {!data && !failure && <SkeletonLines count={4} />}
      {data?.items.length === 0 && (
        <EmptyState title={text.none} actions={create}>
          {text.noneWords}
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul class="card rule-list">
          {data.items.map((silence) => (
            <li key={silence.id} class={`rule-row ${isOver(silence) ? 'is-off' : ''}`}>
              <span class={silence.active ? 'is-warning' : 'faint'}>{stateWords(silence)}</span>
              <div class="rule-words">
                <span>
                  <strong>{silence.selector ? <code>{silence.selector}</code> : alarmsText.rules.everywhere}</strong> ·{' '}
                  {whenWords(silence)}
                </span>
                <span class="soft small">
                  {rulesWords(silence)} · {text.by(silence.created_by)}
                  {silence.comment && ` · ${silence.comment}`}
                  {!silence.active &&
                    silence.next &&
                    ` · ${text.next(formatMoment(Date.parse(silence.next.from)), formatMoment(Date.parse(silence.next.until)))}`}
                </span>
              </div>
              {isManager && (
                <Button size="small" onClick={() => setEnding(silence)}>
                  {text.remove}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isCreating && <SilenceDialog onClose={() => setCreating(false)} />}
      {ending && (
        <ConfirmDialog
          title={text.removeTitle}
          action={text.remove}
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await call('remove_silence', { path: { silence_id: ending.id } });
            queries.refresh('list_silences');
            showToast({ title: text.removed });
            setEnding(undefined);
          }}
        >
          {text.removeWords}
        </ConfirmDialog>
      )}
    </>
  );
}

function stateWords(silence: Silence): string {
  if (silence.active) return text.active;
  return isOver(silence) ? text.over : '';
}

function rulesWords({ rules = ['*'] }: Silence): string {
  return rules.includes('*') ? text.allRules : rules.join(', ');
}
