// One command: its status history, why it was decided so, and what the access point made of it.

import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { Command } from '../../api/operations.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { JsonBlock } from '../../components/code-block.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { agentName } from '../../data/agent-names.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatMoment } from '../../format/times.ts';
import type { PageProps } from '../../router/page-props.ts';
import { commandsText } from '../../text/commands.ts';
import { pageTitles } from '../../text/pages.ts';
import { StatusLine } from './command-status-history.tsx';
import '../../components/layout/facts.css';
import './command-page.css';
import { RivalLink } from './command-link.tsx';
import { argumentsInWords, commandInWords } from './command-words.ts';
import { decisionSentence, parameterWords, withFullStop } from './decision-words.ts';
import { writeCommand } from './declared-commands.ts';
import { isCancellable, isEnded } from './status-steps.ts';
import { VerdictChip } from './verdict-chip.tsx';

const text = commandsText.one;

export function CommandPage({ params }: PageProps) {
  const command_id = params.command_id!;
  const { data: command, failure } = useOperation(
    'get_command',
    { path: { command_id } },
    { pollMs: (known) => (isEnded(known) ? 30_000 : 700) },
  );
  const [isCancelling, setCancelling] = useState(false);
  const back = <a href="/commands">{text.back}</a>;
  if (failure?.status === 404) {
    return (
      <Page title={pageTitles.command} beside={back}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={command ? commandInWords(command) : pageTitles.command}
      beside={back}
      actions={
        command && (
          <>
            {isCancellable(command) && (
              <Button kind="danger" onClick={() => setCancelling(true)}>
                {text.cancel}
              </Button>
            )}
            <ButtonLink href={againHref(command)}>{text.again}</ButtonLink>
          </>
        )
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_command')} />}
      {!command && !failure && <SkeletonLines count={8} />}
      {command && <CommandDetails command={command} />}
      {isCancelling && command && (
        <ConfirmDialog
          title={text.cancelTitle(command.name, agentName(command.ap_id))}
          action={text.cancel}
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await call('cancel_command', { path: { command_id } });
            queries.refresh('get_command');
            queries.refresh('list_commands');
            setCancelling(false);
            showToast({ title: text.cancelled });
          }}
        >
          {text.cancelWords}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function CommandDetails({ command }: { command: Command }) {
  const { verdict, rival, result, applied } = command;
  const hasAnswer = result !== null || applied !== null;
  return (
    <div class="command-grid">
      <div class="stack">
        <section class="card stack">
          <h2>{text.statusHistory}</h2>
          <StatusLine command={command} />
        </section>
        <section class="card stack">
          <div class="cluster">
            <h2>{text.decision}</h2>
            <VerdictChip verdict={verdict} />
          </div>
          <p>{withFullStop(decisionSentence(command))}</p>
          <RivalLink rival={rival} />
        </section>
        <section class="card stack">
          <h2>{text.result}</h2>
          {hasAnswer ? (
            <JsonBlock value={result} label={text.result} />
          ) : (
            <p class="soft">{isEnded(command) ? text.neverAnswered : text.noResult}</p>
          )}
        </section>
      </div>
      <aside class="card">
        <h2>{text.facts}</h2>
        <Facts command={command} />
      </aside>
    </div>
  );
}

function Facts({ command }: { command: Command }) {
  const { ap_id, args, sent_args, applied, inverse_of, batch_id, guard, hold_until } = command;
  const inWords = (some: Record<string, unknown>) => argumentsInWords(some) || text.noArguments;
  return (
    <dl class="facts">
      <dt>{text.agent}</dt>
      <dd>
        <a href={`/agents/${encodeURIComponent(ap_id)}`} title={ap_id}>
          {agentName(ap_id)}
        </a>
      </dd>
      <dt>{text.asked}</dt>
      <dd>{inWords(args)}</dd>
      {JSON.stringify(args) !== JSON.stringify(sent_args) && (
        <>
          <dt>{text.sent}</dt>
          <dd>{inWords(sent_args)}</dd>
        </>
      )}
      {applied && (
        <>
          <dt>{text.applied}</dt>
          <dd>{inWords(applied)}</dd>
        </>
      )}
      <dt>{text.by}</dt>
      <dd>{command.caller_name}</dd>
      <dt>{text.priority}</dt>
      <dd>{command.priority}</dd>
      <dt>{text.parameter}</dt>
      <dd>{parameterWords(command.parameter)}</dd>
      <dt>{text.group}</dt>
      <dd>{parameterWords(command.parameter_group)}</dd>
      {hold_until && (
        <>
          <dt>{text.holds}</dt>
          <dd>{formatMoment(Date.parse(hold_until))}</dd>
        </>
      )}
      <dt>{text.expires}</dt>
      <dd>{formatMoment(Date.parse(command.expires_at))}</dd>
      {guard !== null && (
        <>
          <dt>{text.guard}</dt>
          <dd>
            <code>{guard}</code>
          </dd>
        </>
      )}
      {inverse_of !== null && (
        <>
          <dt>{text.takesBack}</dt>
          <dd>
            <a href={`/commands/${encodeURIComponent(inverse_of)}`}>{inverse_of.slice(0, 8)}</a>
          </dd>
        </>
      )}
      {batch_id !== null && (
        <>
          <dt>{text.batch}</dt>
          <dd>
            <code>{batch_id.slice(0, 8)}</code>
          </dd>
        </>
      )}
      <dt>{text.job}</dt>
      <dd>
        <a href={`/jobs/${encodeURIComponent(command.job_number)}`}>{text.jobOpen}</a>
      </dd>
      <dt>{text.number}</dt>
      <dd class="command-number">
        <code>{command.command_id}</code>
        <CopyButton text={command.command_id} />
      </dd>
    </dl>
  );
}

function againHref({ ap_id, name, args }: Command): string {
  return `/commands/new?${new URLSearchParams({ agent: ap_id, command: writeCommand({ name, args }) })}`;
}
