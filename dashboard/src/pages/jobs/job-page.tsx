// One job: how far it is, its messages as they come, and how a program would do the same.
import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import type { JobEnvelope } from '../../api/operations.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { Progress } from '../../components/feedback/progress.tsx';
import { SkeletonLines } from '../../components/feedback/skeleton.tsx';
import { showToast } from '../../components/feedback/toasts.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { useJobStream } from '../../data/use-job-stream.ts';
import { queries } from '../../data/use-operation.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { isPageOfOurs, place } from '../../router/location.ts';
import type { PageProps } from '../../router/page-props.ts';
import { jobsText } from '../../text/jobs.ts';
import { pageTitles } from '../../text/pages.ts';
import { JobCode } from './job-code-card.tsx';
import { JobMessages } from './job-messages.tsx';
import './job-page.css';
import { JobStateChip } from './job-state.tsx';
import { commandOf, kindOf } from './job-words.ts';

const text = jobsText.one;

export function JobPage({ params }: PageProps) {
  const job_number = params.job_number!;
  const { job, messages, skipped, state, failure } = useJobStream(job_number);
  const [isCancelling, setCancelling] = useState(false);
  const asked = useMemo(() => readAsked(place.value.search), [place.value.search]);
  const isOpen = job !== undefined && job.ended_at === null;
  if (failure?.status === 404) {
    return (
      <Page title={pageTitles.job} beside={<a href="/jobs">{text.back}</a>}>
        <EmptyState title={text.unknown}>{text.unknownWords}</EmptyState>
      </Page>
    );
  }
  const title = job ? kindOf(job) : pageTitles.job;
  return (
    <Page
      title={title}
      beside={
        <>
          {job && <JobStateChip state={job.state} />}
          {asked && <span class="soft">{asked.agent_id}</span>}
        </>
      }
      actions={
        <>
          <Way task_type={job?.task_type} job_number={job_number} messages={messages} />
          <Button icon="download" disabled={messages.length === 0} onClick={() => download(job_number, messages)}>
            {text.download}
          </Button>
          {isOpen && (
            <Button kind="danger" onClick={() => setCancelling(true)}>
              {text.cancel}
            </Button>
          )}
        </>
      }
    >
      {failure && <FailureNotice failure={failure} />}
      {job?.detail && <p class="soft">{job.detail}</p>}
      {isOpen && job.progress !== null && (
        <Progress label={text.progress} done={Math.round(job.progress * 100)} total={100} />
      )}
      <div class="job-grid">
        <section class="stack" aria-label={text.messages}>
          <div class="spread">
            <h2>{text.messages}</h2>
            <span class="faint small" aria-live="polite">
              {text.streams[state]}
            </span>
          </div>
          {job ? <JobMessages {...{ messages, skipped, isOpen }} /> : !failure && <SkeletonLines count={6} />}
        </section>
        <aside class="stack">
          <section class="card">
            <h2>{text.facts}</h2>
            {job ? (
              <dl class="job-facts">
                <dt>{text.asked}</dt>
                <dd>{formatMoment(Date.parse(job.created_at))}</dd>
                <dt>{job.ended_at ? text.ended : text.changed}</dt>
                <dd>{formatMoment(Date.parse(job.ended_at ?? job.updated_at))}</dd>
                <dt>{job.ended_at ? text.keptUntil : text.mayRunUntil}</dt>
                <dd>{formatMoment(Date.parse(job.expires_at))}</dd>
                <dt>{text.messages}</dt>
                <dd>{formatNumber(Math.max(job.last_seq, messages.at(-1)?.seq ?? 0))}</dd>
                <dt>{text.size}</dt>
                <dd>{formatValue(job.bytes, 'B')}</dd>
                <dt>{text.number}</dt>
                <dd class="job-number">
                  <code>{job_number}</code>
                  <CopyButton text={job_number} />
                </dd>
              </dl>
            ) : (
              <SkeletonLines count={5} />
            )}
          </section>
          {job && <JobCode {...{ job_number, asked }} task_type={job.task_type} />}
        </aside>
      </div>
      {isCancelling && (
        <ConfirmDialog
          title={text.cancelTitle}
          action={text.cancel}
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await call('cancel_job', { path: { job_number } });
            queries.refresh('list_jobs');
            setCancelling(false);
            showToast({ title: text.cancelled });
          }}
        >
          {text.cancelWords(title)}
        </ConfirmDialog>
      )}
    </Page>
  );
}

interface WayProps {
  task_type: string | undefined;
  job_number: string;
  messages: readonly JobEnvelope[];
}

/** To the page of what the job is about, where there is one. */
function Way({ task_type, job_number, messages }: WayProps) {
  const command_id = task_type === 'send_command' ? commandOf(messages) : undefined;
  const [href, label] =
    task_type === 'emulator_spinup'
      ? [`/emulator/${encodeURIComponent(job_number)}`, text.run]
      : [command_id && `/commands/${encodeURIComponent(command_id)}`, text.command];
  return href && isPageOfOurs(href) ? <ButtonLink href={href}>{label}</ButtonLink> : null;
}

function readAsked(search: string) {
  const query = new URLSearchParams(search);
  const [agent_id, start_time, end_time] = ['agent_id', 'start_time', 'end_time'].map((name) => query.get(name));
  return agent_id && start_time && end_time ? { agent_id, start_time, end_time } : undefined;
}

/** One message a line, as they came. */
function download(job_number: string, messages: readonly JobEnvelope[]): void {
  const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  link.download = `weft-job-${job_number}.ndjson`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
