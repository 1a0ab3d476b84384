// Jobs, newest first: one's own, or for administrators those of all users; and the way to ask for new ones.
import './jobs-page.css';
import { useMemo, useState } from 'preact/hooks';
import { call, type Job, type JobState } from '../../../api/client.ts';
import { NarrowAgentName } from '../../../components/agent-name.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState, Loading, useAction } from '../../../components/feedback.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { Page } from '../../../components/page.tsx';
import { OlderButton } from '../../../components/tables/filter-bar.tsx';
import { type Column, column, Table, wideColumn } from '../../../components/tables/table.tsx';
import { now } from '../../../data/freshness.ts';
import { useFeed } from '../../../data/use-feed.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatAge, formatNumber, formatValue } from '../../../format.ts';
import { navigate, type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { type PaletteEntry, usePaletteActions } from '../../../shell/palette-entries.ts';
import { jobsText } from '../../../text/pages.ts';
import { AgentDataDialog } from './agent-data-dialog.tsx';
import { bulkWords, JobStateChip, kindOf, type ToldJob, withCommands } from './job-words.tsx';

const text = { progress: 'Progress', requestDetails: 'Request details' };

const pageSize = 100;
const filters = ['state', 'whose'];
const maxCommands = 200;
const textOf = (job: ToldJob) =>
  `${kindOf(job)} ${job.about?.ap_id ?? ''} ${job.about?.command ?? ''} ${job.words ?? ''} ${job.requested_by.name} ${job.state} ${job.job_number}`;

const columns: Column<ToldJob>[] = [
  column('kind', 'Job', 'minmax(140px, 3fr)', { sort: textOf, cell: (job) => <Kind job={job} /> }),
  column('state', 'State', '98px', {
    sort: ({ state }) => state,
    cell: ({ state }) => <JobStateChip state={state} />,
  }),
  wideColumn('by', 'By', 'minmax(110px, 1fr)', { word: ({ requested_by }) => requested_by.name }),
  wideColumn('progress', text.progress, '124px', {
    sort: ({ progress }) => progress ?? undefined,
    cell: (job) => <SmallProgress job={job} />,
  }),
  wideColumn('messages', 'Messages', '96px', { figure: ({ last_seq }) => last_seq, write: formatNumber }),
  wideColumn('size', 'Size', '80px', { figure: ({ bytes }) => bytes, write: (bytes) => formatValue(bytes, 'B') }),
  column('age', 'Age', '64px', {
    align: 'end',
    // Upwards is the newest first, as ages are read.
    sort: ({ created_at }) => -Date.parse(created_at),
    cell: ({ created_at }) => <Age at={Date.parse(created_at)} />,
  }),
  wideColumn('number', 'Number', '96px', {
    cell: ({ job_number }) => <code class="faint">{job_number.slice(0, 8)}</code>,
  }),
];

/** Jobs of one batch differ by their access point: where there is little room, it comes first. */
function Kind({ job }: { job: ToldJob }) {
  if (!job.about) return <>{[kindOf(job), job.words].filter(Boolean).join(': ')}</>;
  const { ap_id, command } = job.about;
  return (
    <span class="job-about">
      <span class="job-kind">{kindOf(job)}</span>
      <NarrowAgentName ap_id={ap_id} />
      <span class="job-command soft">{command}</span>
    </span>
  );
}

/** Of the newest ones: what is asked for each of them is a request. */
const bulkSlots = [0, 1, 2, 3, 4];

/** By job: what a bulk change does, and to whom. */
function useBulkWords(jobs: readonly Job[]): ReadonlyMap<string, string> {
  const bulks = jobs.filter(({ task_type }) => task_type === 'bulk').slice(0, bulkSlots.length);
  const answers = bulkSlots.map((slot) => {
    const job_number = bulks[slot]?.job_number ?? '';
    return useOperation('get_bulk', { path: { job_number }, query: { limit: 1 } }, { isWanted: job_number !== '' })
      .data;
  });
  return new Map(answers.flatMap((bulk) => (bulk ? [[bulk.job_number, bulkWords(bulk)] as const] : [])));
}

function Age({ at }: { at: number }) {
  const seconds = Math.max(0, (now.value - at) / 1000);
  return <>{seconds < 2 ? 'now' : formatAge(seconds)}</>;
}

function SmallProgress({ job: { progress, ended_at } }: { job: Job }) {
  if (progress === null || ended_at !== null) return <span class="faint">–</span>;
  const percent = Math.round(progress * 100);
  return (
    <span class="small-progress">
      <progress value={percent} max={100} aria-label={text.progress} />
      {formatValue(percent, '%')}
    </span>
  );
}

export function JobsPage({ title }: PageProps) {
  const isAdmin = session.value?.isAdmin === true;
  const [state, setState] = useQueryState('state');
  const [whose, setWhose] = useQueryState('whose');
  const [isAsking, setAsking] = useState(false);
  const { isBusy, act } = useAction();
  const query = {
    limit: pageSize,
    ...(Object.hasOwn(jobsText.states, state) && { state: state as JobState }),
    ...(isAdmin && whose === 'all' && { all: true }),
  };
  const feed = useFeed('list_jobs', {
    input: { query },
    pollMs: 2000,
    cursor: 'before',
    toPage: (jobs) => ({ rows: jobs, next: jobs.length < pageSize ? undefined : jobs.at(-1)!.job_number }),
    idOf: ({ job_number }) => job_number,
  });
  const { rows, failure } = feed;
  // Jobs do not say what they send: the newest commands do.
  const hasCommands = rows?.some(({ task_type }) => task_type === 'send_command') ?? false;
  const { data: commands } = useOperation(
    'list_commands',
    { query: { limit: maxCommands } },
    { isWanted: hasCommands, pollMs: 5000 },
  );
  const bulks = useBulkWords(rows ?? []);
  const bulkKey = JSON.stringify([...bulks]);
  const told = useMemo(
    () => rows && withCommands(rows, commands ?? []).map((job) => ({ ...job, words: bulks.get(job.job_number) })),
    [rows, commands, bulkKey],
  );
  const askDetails = () =>
    act(async () => {
      const { job_number } = await call('request_all_agents_details');
      queries.refresh('list_jobs');
      navigate(`/jobs/${job_number}`);
    });
  const actions = useMemo(
    (): PaletteEntry[] => [
      { id: 'ask details', group: 'actions', label: text.requestDetails, icon: 'jobs', onChoose: askDetails },
      { id: 'ask data', group: 'actions', label: jobsText.data.title, icon: 'jobs', onChoose: () => setAsking(true) },
    ],
    [],
  );
  usePaletteActions(actions);
  const asking = (
    <>
      <Button isBusy={isBusy} onClick={askDetails} words={text.requestDetails} />
      <Button kind="primary" icon="plus" onClick={() => setAsking(true)} words="Request data" />
    </>
  );
  const isEmpty = rows?.length === 0;
  const isFiltered = state !== '' || whose !== '';
  return (
    <Page title={title} actions={isEmpty && !isFiltered ? undefined : asking} isFilling>
      <Loading data={rows} failure={failure} again="list_jobs" lines={10} />
      {isEmpty && !isFiltered && (
        <EmptyState
          title="No jobs yet"
          actions={asking}
          words="A job is a request that Weft processes in the background. Its results arrive as messages."
        />
      )}
      {told && !(isEmpty && !isFiltered) && (
        <Table
          label={title}
          rows={told}
          columns={columns}
          hrefOf={({ job_number }) => `/jobs/${encodeURIComponent(job_number)}`}
          textOf={textOf}
          initialSort="age"
          filteredBy={filters}
          noMatch="No jobs match this filter."
          tools={
            <>
              <Choice
                label="State"
                value={state}
                onChange={setState}
                options={{ '': 'All states', ...jobsText.states }}
              />
              {isAdmin && (
                <Choice
                  label="Owner"
                  value={whose}
                  onChange={setWhose}
                  options={{ '': 'Only mine', all: 'All users' }}
                />
              )}
            </>
          }
        />
      )}
      <OlderButton feed={feed} words="Show older jobs" />
      {isAsking && <AgentDataDialog onClose={() => setAsking(false)} />}
    </Page>
  );
}
