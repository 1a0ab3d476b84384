// One job: how far it is, its messages as they come, and how a program would do the same.
import './job-page.css';
import { useMemo, useState } from 'preact/hooks';
import { call, type JobEnvelope } from '../../../api/client.ts';
import { Button, ButtonLink, Icon } from '../../../components/button.tsx';
import { CopyableCode, CopyButton, saveFile } from '../../../components/copyable.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, FailureNotice, Progress, SkeletonLines } from '../../../components/feedback.tsx';
import { Card, Facts, Page, UnknownPage } from '../../../components/page.tsx';
import { useJobStream } from '../../../data/use-job-stream.ts';
import { formatMoment, formatNumber, formatValue } from '../../../format.ts';
import { isPageOfOurs, type PageProps, place } from '../../../router/location.ts';
import { JobCode } from './job-code.tsx';
import { commandOf, JobStateChip, kindOf, summaryOf } from './job-words.tsx';

const text = {
  messages: 'Messages',
  cancel: 'Cancel job',
  streams: {
    reading: 'Loading',
    live: 'Live: messages arrive over a WebSocket',
    polling: 'No WebSocket connection: checking every two seconds',
    broken: 'Weft does not answer: retrying',
    ended: 'Complete: no more messages',
  },
  types: {
    agent_data: 'Data',
    agent_details: 'Access points',
    emulator: 'Emulator',
    command: 'Command',
    status: 'Status',
  } as Record<string, string>,
};

/** Beyond this the browser would take seconds to draw it. */
const maxShown = 100_000;

interface JobMessagesProps {
  messages: readonly JobEnvelope[];
  skipped: number;
  isOpen: boolean;
}

export function JobMessages({ messages, skipped, isOpen }: JobMessagesProps) {
  if (messages.length === 0) {
    return (
      <div class="card">
        <EmptyState title={isOpen ? 'No messages yet' : 'This job ended without messages.'}>
          {isOpen && 'Results appear here automatically.'}
        </EmptyState>
      </div>
    );
  }
  return (
    <>
      <ol class="card job-messages">
        {messages.toReversed().map((message) => (
          <Message key={message.seq} message={message} />
        ))}
      </ol>
      {skipped > 0 && (
        <p class="faint small">{`The first ${formatNumber(skipped)} messages are not shown. Use the command below to read all.`}</p>
      )}
    </>
  );
}

function Message({ message }: { message: JobEnvelope }) {
  const [isShown, setShown] = useState(false);
  const { seq, type, final, ts } = message;
  const summary = useMemo(() => summaryOf(message), [message]);
  return (
    <li>
      <button type="button" class="job-message" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        <Icon name={isShown ? 'chevron-down' : 'chevron-right'} size={16} />
        <span class="faint seq">{seq}</span>
        <span class="type">{text.types[type] ?? type}</span>
        <span class="soft summary">{summary}</span>
        {final && <span class="job-tag">last message</span>}
        <time class="faint" dateTime={ts}>
          {formatMoment(ts)}
        </time>
      </button>
      {isShown && <RawMessage message={message} />}
    </li>
  );
}

function RawMessage({ message }: { message: JobEnvelope }) {
  const json = useMemo(() => JSON.stringify(message, null, 2), [message]);
  return (
    <figure class="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} role="region" aria-label={`Message ${message.seq} as JSON`}>
        <code>{json.slice(0, maxShown)}</code>
      </pre>
      <CopyButton text={json} label={`Copy message ${message.seq}`} />
      {json.length > maxShown && (
        <figcaption class="faint small">
          {`Showing the first ${formatValue(maxShown, 'B')} of ${formatValue(json.length, 'B')}. Copy or download to get everything.`}
        </figcaption>
      )}
    </figure>
  );
}

export function JobPage({ params, title: kind }: PageProps) {
  const job_number = params.job_number!;
  const { job, messages, skipped, state, failure } = useJobStream(job_number);
  const [isCancelling, setCancelling] = useState(false);
  const asked = useMemo(() => readAsked(place.value.search), [place.value.search]);
  const isOpen = job !== undefined && job.ended_at === null;
  if (failure?.status === 404) {
    const back = <a href="/jobs">All jobs</a>;
    return (
      <UnknownPage
        title={kind}
        {...{ back }}
        unknown="Job not found"
        words="Jobs and their messages are deleted after one day. This job may also belong to another user. Check the list of jobs."
      />
    );
  }
  const title = job ? kindOf(job) : kind;
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
            Download
          </Button>
          {isOpen && <Button kind="danger" onClick={() => setCancelling(true)} words={text.cancel} />}
        </>
      }
    >
      {failure && <FailureNotice failure={failure} />}
      {job?.detail && <p class="soft">{job.detail}</p>}
      {isOpen && job.progress !== null && (
        <Progress label="Progress" done={Math.round(job.progress * 100)} total={100} />
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
          <Card title="Details" look="">
            {job ? (
              <Facts
                look="job-facts"
                rows={[
                  ['Requested', formatMoment(job.created_at)],
                  [job.ended_at ? 'Ended' : 'Last change', formatMoment(job.ended_at ?? job.updated_at)],
                  [job.ended_at ? 'Kept until' : 'Runs until at most', formatMoment(job.expires_at)],
                  [text.messages, formatNumber(Math.max(job.last_seq, messages.at(-1)?.seq ?? 0))],
                  ['Size', formatValue(job.bytes, 'B')],
                  ['Job number', <CopyableCode key="number" text={job_number} />, 'job-number'],
                ]}
              />
            ) : (
              <SkeletonLines count={5} />
            )}
          </Card>
          {job && <JobCode {...{ job_number, asked }} task_type={job.task_type} />}
        </aside>
      </div>
      {isCancelling && (
        <ConfirmDialog
          title="Cancel this job?"
          action={text.cancel}
          onClose={() => setCancelling(false)}
          onConfirm={() => call('cancel_job', { path: { job_number } })}
          changes={['list_jobs']}
          done="Job cancelled"
          words={`“${title}” stops now. Messages received so far are kept.`}
        />
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
      ? [`/emulator/${encodeURIComponent(job_number)}`, 'Open the emulated network']
      : [command_id && `/commands/${encodeURIComponent(command_id)}`, 'Open the command'];
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
  saveFile(new Blob(lines, { type: 'application/x-ndjson' }), `weft-job-${job_number}.ndjson`);
}
