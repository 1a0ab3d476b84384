// One emulated network: how far it is, how it fares, its access points; and what can be done to it.
import './run-page.css';
import { useMemo, useState } from 'preact/hooks';
import { call, type EmulatorRunWithAgents } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { CopyableCode } from '../../../components/copyable.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { FailureNotice, Notice, PageSkeleton } from '../../../components/feedback.tsx';
import { Card, Facts, Page, UnknownPage } from '../../../components/page.tsx';
import { agentName, byName } from '../../../data/agents.ts';
import { useFleet } from '../../../data/fleet.ts';
import { useJobStream } from '../../../data/use-job-stream.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber, formatSpan } from '../../../format.ts';
import type { PageProps } from '../../../router/location.ts';
import { emulatorText } from '../../../text/pages.ts';
import { ActiveFaults, FaultForm } from './faults.tsx';
import { RunAgents, RunCounters } from './run-cards.tsx';
import { placesOfRun, RunKinds, RunStateChip, runEvents } from './run-words.tsx';

const stopText = 'Stop';

export function RunPage({ params, title }: PageProps) {
  const job_number = params.job_number!;
  const { data: run, failure } = useOperation(
    'get_emulator_run',
    { path: { job_number } },
    { pollMs: ({ is_over }) => (is_over ? 30_000 : 2000) },
  );
  const [isStopping, setStopping] = useState(false);
  const back = <a href="/emulator">All networks</a>;
  if (failure?.status === 404) {
    return (
      <UnknownPage
        title={title}
        {...{ back }}
        unknown="Network not found"
        words="Networks are removed one day after they end. This network may also belong to another user. Check the list of networks."
      />
    );
  }
  return (
    <Page
      title={title}
      beside={
        <>
          {run && <RunStateChip state={run.state} />}
          {run && <RunKinds run={run} />}
          {back}
        </>
      }
      actions={
        run &&
        !run.is_over && (
          <>
            {run.state === 'running' && (
              <ButtonLink icon="emulator" href={`/commands/new?${new URLSearchParams({ network: job_number })}`}>
                Commands and what-if
              </ButtonLink>
            )}
            <Button kind="danger" onClick={() => setStopping(true)} words={stopText} />
          </>
        )
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_emulator_run')} />}
      {!run && !failure && <PageSkeleton />}
      {run && <RunDetails run={run} />}
      {isStopping && run && (
        <ConfirmDialog
          title="Stop this network?"
          action={stopText}
          onClose={() => setStopping(false)}
          onConfirm={() => call('stop_emulator_run', { path: { job_number } })}
          changes={['get_emulator_run', 'list_emulator_runs']}
          done="Network stopped"
          words={`Its ${formatCount(run.access_points, 'access point')} go offline now. They and their data are kept for one day, then removed.`}
        />
      )}
    </Page>
  );
}

function RunDetails({ run }: { run: EmulatorRunWithAgents }) {
  const { job_number, is_over, state, detail } = run;
  const { messages } = useJobStream(job_number);
  const events = useMemo(() => runEvents(messages), [messages]);
  const fleet = useFleet({ state: 'all' });
  const names = run.agents.map(agentName).join();
  const agents = useMemo(() => {
    const own = new Set(run.agents);
    return fleet.agents && byName(fleet.agents.filter(({ ap_id }) => own.has(ap_id)));
  }, [fleet.agents, names]);
  const places = placesOfRun(job_number);
  return (
    <>
      {detail && <Notice kind={state === 'failed' ? 'failure' : 'note'} title={detail} />}
      {state === 'queued' && <Notice title="The network starts when an emulator is available." />}
      {places.length > 0 && !is_over && (
        <p class="soft">
          {places
            .map(
              ({ given, name, country, others }) =>
                `“${given}” was found as ${name}, ${country}` +
                (others > 0 ? ` (${formatCount(others, 'place')} with the same name are smaller)` : ''),
            )
            .join('; ')}
          .
        </p>
      )}
      <RunCounters run={run} events={events} />
      <div class="run-grid">
        <div class="stack">
          <RunAgents run={run} agents={agents} />
        </div>
        <aside class="stack">
          <RunFacts run={run} />
          {state === 'running' && run.agents.length > 0 && (
            <Card title="Inject a fault">
              <ActiveFaults run={run} />
              <FaultForm job_number={job_number} agents={byName(run.agents.map((ap_id) => ({ ap_id })))} />
            </Card>
          )}
        </aside>
      </div>
    </>
  );
}

function RunFacts({ run }: { run: EmulatorRunWithAgents }) {
  return (
    <Card title="Details" look="">
      <Facts
        rows={[
          ['Owner', run.owner],
          ['Started', formatMoment(run.created_at)],
          [run.is_over ? 'Ended' : 'Ends', formatMoment(run.ends_at)],
          run.remove_at && ['Removed at', formatMoment(run.remove_at)],
          ['Duration', formatSpan(run.duration, 2)],
          ['Speed', emulatorText.times(formatNumber(run.speed))],
          ['Seed', run.seed],
          ['Model', run.model],
          ['Messages', <a key="all" href={`/jobs/${run.job_number}`} children="Show all messages" />],
          ['Job number', <CopyableCode key="number" text={run.job_number} />, 'run-number'],
        ]}
      />
    </Card>
  );
}
