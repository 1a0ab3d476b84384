// One emulated network: how far it is, how it fares, its access points; and what can be done to it.
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { EmulatorRunWithAgents } from '../../api/operations.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice, Notice } from '../../components/feedback/notice.tsx';
import { PageSkeleton, SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { useFleet } from '../../data/fleet.ts';
import { useJobStream } from '../../data/use-job-stream.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import type { PageProps } from '../../router/page-props.ts';
import { emulatorText } from '../../text/emulator.ts';
import { pageTitles } from '../../text/pages.ts';
import { FaultForm } from './fault-form.tsx';
import { placesOfRun } from './new-network.ts';
import { RunAgents } from './run-agents.tsx';
import { RunCounters } from './run-counters.tsx';
import { RunMessages } from './run-messages.tsx';
import '../../components/layout/facts.css';
import './run-page.css';
import { RunKinds, RunStateChip } from './run-state.tsx';
import { numberInRun, runEvents } from './run-words.ts';
import { WhatIf } from './what-if.tsx';

const text = emulatorText.run;

export function RunPage({ params }: PageProps) {
  const job_number = params.job_number!;
  const { data: run, failure } = useOperation(
    'get_emulator_run',
    { path: { job_number } },
    { pollMs: ({ is_over }) => (is_over ? 30_000 : 2000) },
  );
  const [isStopping, setStopping] = useState(false);
  const back = <a href="/emulator">{text.back}</a>;
  if (failure?.status === 404) {
    return (
      <Page title={pageTitles.network} beside={back}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  return (
    <Page
      title={pageTitles.network}
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
          <Button kind="danger" onClick={() => setStopping(true)}>
            {text.stop}
          </Button>
        )
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_emulator_run')} />}
      {!run && !failure && <PageSkeleton />}
      {run && <RunDetails run={run} />}
      {isStopping && run && (
        <ConfirmDialog
          title={text.stopTitle}
          action={text.stop}
          onClose={() => setStopping(false)}
          onConfirm={async () => {
            await call('stop_emulator_run', { path: { job_number } });
            queries.refresh('get_emulator_run');
            queries.refresh('list_emulator_runs');
            setStopping(false);
            showToast({ title: text.stopped });
          }}
        >
          {text.stopWords(formatCount(run.access_points, 'access point'))}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function RunDetails({ run }: { run: EmulatorRunWithAgents }) {
  const { job_number, is_over, state, detail } = run;
  const { messages } = useJobStream(job_number);
  const events = useMemo(() => runEvents(messages), [messages]);
  const fleet = useFleet({ state: 'all' });
  const names = run.agents.join();
  const agents = useMemo(() => {
    const own = new Set(run.agents);
    return fleet.agents
      ?.filter(({ ap_id }) => own.has(ap_id))
      .sort((a, b) => numberInRun(a.ap_id) - numberInRun(b.ap_id));
  }, [fleet.agents, names]);
  const places = placesOfRun(job_number);
  const canAsk = state === 'running' && run.agents.length > 0;
  return (
    <>
      {detail && <Notice kind={state === 'failed' ? 'failure' : 'note'} title={detail} />}
      {state === 'queued' && <Notice title={text.waiting} />}
      {places.length > 0 && !is_over && (
        <p class="soft">
          {places
            .map(
              ({ given, name, country, others }) =>
                text.places(given, name, country) + (others > 0 ? text.others(formatCount(others, 'place')) : ''),
            )
            .join('; ')}
          .
        </p>
      )}
      <RunCounters run={run} events={events} />
      <div class="run-grid">
        <div class="stack">
          <RunAgents run={run} agents={agents} />
          {canAsk && !agents && (
            <section class="card what-if-place">
              <SkeletonLines count={5} />
            </section>
          )}
          {canAsk && agents && agents.length > 0 && <WhatIf job_number={job_number} agents={agents} />}
          <RunMessages events={events} job_number={job_number} />
        </div>
        <aside class="stack">
          <RunFacts run={run} />
          {canAsk && (
            <section class="card stack">
              <h2>{emulatorText.fault.title}</h2>
              <FaultForm job_number={job_number} agents={inOrder(run.agents)} />
            </section>
          )}
        </aside>
      </div>
    </>
  );
}

function inOrder(names: readonly string[]): string[] {
  return names.toSorted((a, b) => numberInRun(a) - numberInRun(b));
}

function RunFacts({ run }: { run: EmulatorRunWithAgents }) {
  return (
    <section class="card">
      <h2>{text.facts}</h2>
      <dl class="facts">
        <dt>{text.owner}</dt>
        <dd>{run.owner}</dd>
        <dt>{text.started}</dt>
        <dd>{formatMoment(Date.parse(run.created_at))}</dd>
        <dt>{run.is_over ? text.ended : text.ends}</dt>
        <dd>{formatMoment(Date.parse(run.ends_at))}</dd>
        {run.remove_at && (
          <>
            <dt>{text.removed}</dt>
            <dd>{formatMoment(Date.parse(run.remove_at))}</dd>
          </>
        )}
        <dt>{text.duration}</dt>
        <dd>{formatSpan(run.duration, 2)}</dd>
        <dt>{text.speed}</dt>
        <dd>{emulatorText.times(formatNumber(run.speed))}</dd>
        <dt>{text.seed}</dt>
        <dd>{run.seed}</dd>
        <dt>{text.model}</dt>
        <dd>{run.model}</dd>
        <dt>{text.number}</dt>
        <dd class="run-number">
          <code>{run.job_number}</code>
          <CopyButton text={run.job_number} />
        </dd>
      </dl>
    </section>
  );
}
