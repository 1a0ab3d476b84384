// Enrolment tokens that are still open: for whom, how often, until when, by whom; each can be revoked.
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { EnrolmentToken } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { agentsText } from '../../text/agents.ts';

const text = agentsText.tokens;

export function EnrolmentTokens() {
  const { data = [], failure } = useOperation('list_enrolment_tokens', {}, { pollMs: 15_000 });
  const [asked, setAsked] = useState<EnrolmentToken | undefined>(undefined);
  if (failure) return <FailureNotice failure={failure} />;
  if (data.length === 0) return null;
  return (
    <section class="enrolment-tokens" aria-labelledby="enrolment-tokens">
      <h3 id="enrolment-tokens">{text.title}</h3>
      <ul>
        {data.map((token) => (
          <li key={token.id}>
            <div>
              <strong class="mono">{token.ap_id_pattern}</strong>
              <p class="soft small">{wordsOf(token).join(' · ')}</p>
            </div>
            <Button size="small" aria-label={text.revokeOf(token.ap_id_pattern)} onClick={() => setAsked(token)}>
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
      {asked && (
        <ConfirmDialog
          title={text.revokeTitle(asked.ap_id_pattern)}
          action={text.revoke}
          onClose={() => setAsked(undefined)}
          onConfirm={async () => {
            await call('remove_enrolment_token', { path: { id: asked.id } });
            queries.refresh('list_enrolment_tokens');
            showToast({ title: text.revoked(asked.ap_id_pattern) });
            setAsked(undefined);
          }}
        >
          {text.revokeWords}
        </ConfirmDialog>
      )}
    </section>
  );
}

function wordsOf({ max_uses, uses, expires_at, created_by }: EnrolmentToken): string[] {
  const left = max_uses - uses;
  return [
    left > 0 ? text.left(formatNumber(left), formatNumber(max_uses)) : text.usedUp,
    text.until(formatMoment(Date.parse(expires_at))),
    text.by(created_by),
  ];
}
