// One command: its status history, why it was decided so, and what the access point made of it.
import './command-page.css';
import { useState } from 'preact/hooks';
import { type Command, call } from '../../../api/client.ts';
import { AgentLink } from '../../../components/agent-name.tsx';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { CopyableCode, JsonBlock } from '../../../components/copyable.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { Loading } from '../../../components/feedback.tsx';
import { Card, Facts, Page, UnknownPage } from '../../../components/page.tsx';
import { agentName } from '../../../data/agents.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { commandsText } from '../../../text/pages.ts';
import { commandHref, isCancellable, isEnded, RivalLink, StatusLine, VerdictChip } from './command-marks.tsx';
import { argumentsInWords, commandInWords, decisionSentence, parameterWords, withFullStop } from './command-words.ts';
import { writeCommand } from './declared-commands.ts';

const text = { cancel: 'Cancel command', result: 'Answer of the agent' };

export function CommandPage({ params, title }: PageProps) {
  const command_id = params.command_id!;
  const { data: command, failure } = useOperation(
    'get_command',
    { path: { command_id } },
    { pollMs: (known) => (isEnded(known) ? 30_000 : 700) },
  );
  const [isCancelling, setCancelling] = useState(false);
  const back = <a href="/commands">{commandsText.one.back}</a>;
  if (failure?.status === 404) {
    return (
      <UnknownPage
        title={title}
        {...{ back }}
        unknown="Command not found"
        words="Commands are deleted some time after they end. This command may also belong to another user. Check the list of commands."
      />
    );
  }
  return (
    <Page
      title={command ? commandInWords(command) : title}
      beside={back}
      actions={
        command && (
          <>
            {isCancellable(command) && <Button kind="danger" onClick={() => setCancelling(true)} words={text.cancel} />}
            <ButtonLink href={againHref(command)}>Send again</ButtonLink>
          </>
        )
      }
    >
      <Loading data={command} failure={failure} again="get_command" lines={8} />
      {command && <CommandDetails command={command} />}
      {isCancelling && command && (
        <ConfirmDialog
          title={`Cancel ${command.name} to ${agentName(command.ap_id)}?`}
          action={text.cancel}
          onClose={() => setCancelling(false)}
          onConfirm={() => call('cancel_command', { path: { command_id } })}
          changes={['get_command', 'list_commands']}
          done="Command cancelled"
          words="The access point has not confirmed this command yet. It may still receive it; its answer is then ignored."
        />
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
        <Card title="Status history">
          <StatusLine command={command} />
        </Card>
        <section class="card stack">
          <div class="cluster">
            <h2>Decision</h2>
            <VerdictChip verdict={verdict} />
          </div>
          <p>{withFullStop(decisionSentence(command))}</p>
          <RivalLink rival={rival} />
        </section>
        <Card title={text.result}>
          {hasAnswer ? (
            <JsonBlock value={result} label={text.result} />
          ) : (
            <p class="soft">{isEnded(command) ? 'The agent did not answer.' : 'The agent has not answered yet.'}</p>
          )}
        </Card>
      </div>
      <aside class="card">
        <h2>Details</h2>
        <CommandFacts command={command} />
      </aside>
    </div>
  );
}

function CommandFacts({ command }: { command: Command }) {
  const { ap_id, args, sent_args, applied, inverse_of, batch_id, guard, hold_until, command_id } = command;
  const inWords = (some: Record<string, unknown>) => argumentsInWords(some) || 'no arguments';
  return (
    <Facts
      rows={[
        ['Access point', <AgentLink key="agent" ap_id={ap_id} />],
        ['Requested', inWords(args)],
        JSON.stringify(args) !== JSON.stringify(sent_args) && ['Sent', inWords(sent_args)],
        applied && ['Applied', inWords(applied)],
        ['Sent by', command.caller_name],
        ['Priority', command.priority],
        ['Parameter', parameterWords(command.parameter)],
        ['Group', parameterWords(command.parameter_group)],
        hold_until && ['Lease until', formatMoment(hold_until)],
        ['Expires', formatMoment(command.expires_at)],
        guard !== null && ['Guard', <code key="guard">{guard}</code>],
        inverse_of !== null && [
          'Undoes',
          <a key="inverse" href={commandHref(inverse_of)}>
            {inverse_of.slice(0, 8)}
          </a>,
        ],
        batch_id !== null && ['Batch', <code key="batch">{batch_id.slice(0, 8)}</code>],
        [
          'Job',
          <a key="job" href={`/jobs/${encodeURIComponent(command.job_number)}`}>
            Show messages
          </a>,
        ],
        ['Command ID', <CopyableCode key="number" text={command_id} />, 'command-number'],
      ]}
    />
  );
}

function againHref({ ap_id, name, args }: Command): string {
  return `/commands/new?${new URLSearchParams({ agent: ap_id, command: writeCommand({ name, args }) })}`;
}
