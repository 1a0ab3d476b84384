// One job: how far it is, its messages as they come, and how a program would do the same.
import './job-page.css';
import { useMemo, useState } from 'preact/hooks';
import { call, type JobEnvelope } from '../../api/client.ts';
import { Button, ButtonLink, Icon } from '../../components/button.tsx';
import { CopyableCode, CopyButton, saveFile } from '../../components/copyable.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { EmptyState, FailureNotice, Progress, SkeletonLines } from '../../components/feedback.tsx';
import { Card, Facts, Page, UnknownPage } from '../../components/page.tsx';
import { useJobStream } from '../../data/use-job-stream.ts';
import { formatMoment, formatNumber, formatValue } from '../../format.ts';
import { isPageOfOurs, type PageProps, place } from '../../router/location.ts';
import { pageTitles } from '../../text/components.ts';
import { jobsText } from '../../text/jobs.ts';
import { JobCode } from './job-code.tsx';
import { commandOf, JobStateChip, kindOf, summaryOf } from './job-words.tsx';

const text = jobsText.one;
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
        <EmptyState title={isOpen ? text.waiting : text.noneCame}>{isOpen && text.waitingWords}</EmptyState>
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
      {skipped > 0 && <p class="faint small">{text.skipped(formatNumber(skipped))}</p>}
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
        {final && <span class="job-tag">{text.final}</span>}
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
      <pre tabIndex={0} role="region" aria-label={text.raw(message.seq)}>
        <code>{json.slice(0, maxShown)}</code>
      </pre>
      <CopyButton text={json} label={text.copyMessage(message.seq)} />
      {json.length > maxShown && (
        <figcaption class="faint small">
          {text.cut(formatValue(maxShown, 'B'), formatValue(json.length, 'B'))}
        </figcaption>
      )}
    </figure>
  );
}

export function JobPage({ params }: PageProps) {
  const job_number = params.job_number!;
  const { job, messages, skipped, state, failure } = useJobStream(job_number);
  const [isCancelling, setCancelling] = useState(false);
  const asked = useMemo(() => readAsked(place.value.search), [place.value.search]);
  const isOpen = job !== undefined && job.ended_at === null;
  if (failure?.status === 404) {
    const back = <a href="/jobs">{text.back}</a>;
    return <UnknownPage title={pageTitles.job} {...{ back }} unknown={text.unknown} words={text.unknownWords} />;
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
          {isOpen && <Button kind="danger" onClick={() => setCancelling(true)} words={text.cancel} />}
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
          <Card title={text.facts} look="">
            {job ? (
              <Facts
                look="job-facts"
                rows={[
                  [text.asked, formatMoment(job.created_at)],
                  [job.ended_at ? text.ended : text.changed, formatMoment(job.ended_at ?? job.updated_at)],
                  [job.ended_at ? text.keptUntil : text.mayRunUntil, formatMoment(job.expires_at)],
                  [text.messages, formatNumber(Math.max(job.last_seq, messages.at(-1)?.seq ?? 0))],
                  [text.size, formatValue(job.bytes, 'B')],
                  [text.number, <CopyableCode key="number" text={job_number} />, 'job-number'],
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
          title={text.cancelTitle}
          action={text.cancel}
          onClose={() => setCancelling(false)}
          onConfirm={() => call('cancel_job', { path: { job_number } })}
          changes={['list_jobs']}
          done={text.cancelled}
          words={text.cancelWords(title)}
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
  saveFile(new Blob(lines, { type: 'application/x-ndjson' }), `weft-job-${job_number}.ndjson`);
}
