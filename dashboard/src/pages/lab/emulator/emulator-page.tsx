// Emulated networks, newest first: what each is made of, how far it is, and the way to a new one.
import type { EmulatorRun } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { EmptyState, Loading, useAction } from '../../../components/feedback.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { Page } from '../../../components/page.tsx';
import { OlderButton } from '../../../components/tables/filter-bar.tsx';
import { type Column, column, Table, wideColumn } from '../../../components/tables/table.tsx';
import { demoNetwork, startDemoNetwork } from '../../../data/demo-network.ts';
import { useFeed } from '../../../data/use-feed.ts';
import { formatMoment, formatNumber } from '../../../format.ts';
import { navigate, type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { emulatorText } from '../../../text/pages.ts';
import './emulator-page.css';
import { countsByType, RunKinds, RunProgress, RunStateChip } from './run-words.tsx';

const pageSize = 50;

const allUsersColumns: Column<EmulatorRun>[] = [
  column('network', 'Network', 'minmax(220px, 1.2fr)', {
    sort: ({ access_points }) => access_points,
    cell: (run) => <RunKinds run={run} />,
  }),
  column('state', 'State', '96px', {
    sort: ({ state }) => state,
    cell: ({ state }) => <RunStateChip state={state} />,
  }),
  wideColumn('progress', emulatorText.columns.progress, 'minmax(150px, 1.6fr)', {
    sort: ({ progress }) => progress ?? undefined,
    cell: (run) => <RunProgress run={run} />,
  }),
  wideColumn('devices', 'Devices', '64px', { figure: ({ devices }) => devices, write: formatNumber }),
  wideColumn('speed', 'Speed', '60px', {
    figure: ({ speed }) => speed,
    write: (speed) => emulatorText.times(formatNumber(speed)),
  }),
  wideColumn('seed', 'Seed', '100px', {
    figure: ({ seed }) => seed,
    write: (seed) => <span class="soft">{seed}</span>,
  }),
  wideColumn('owner', 'Owner', 'minmax(110px, 1.2fr)', { word: ({ owner }) => owner }),
  // Upwards is the newest first, as ages are read.
  wideColumn('started', 'Started', '112px', {
    figure: ({ created_at }) => -Date.parse(created_at),
    write: (at) => formatMoment(-at),
  }),
  wideColumn('ends', 'Ends', '112px', {
    figure: ({ ends_at }) => -Date.parse(ends_at),
    write: (at) => formatMoment(-at),
  }),
];

const ownColumns = allUsersColumns.filter(({ name }) => name !== 'owner');

const textOf = (run: EmulatorRun) =>
  `${countsByType(run).flat().join(' ')} ${emulatorText.states[run.state]} ${run.seed} ${run.owner} ${run.job_number}`;

export function EmulatorPage({ title }: PageProps) {
  const isAdmin = session.value?.isAdmin === true;
  const [whose, setWhose] = useQueryState('whose');
  const query = { limit: pageSize, ...(isAdmin && whose === 'all' && { all: true }) };
  const feed = useFeed('list_emulator_runs', {
    input: { query },
    pollMs: (runs) => (runs.some(({ is_over }) => !is_over) ? 2000 : 15_000),
    cursor: 'before',
    toPage: (runs) => ({ rows: runs, next: runs.length < pageSize ? undefined : runs.at(-1)!.job_number }),
    idOf: ({ job_number }) => job_number,
  });
  const { rows, failure } = feed;
  const isEmpty = rows?.length === 0;
  const isFiltered = whose !== '';
  const design = (
    <ButtonLink
      kind={isEmpty ? 'plain' : 'primary'}
      icon="plus"
      href="/emulator/new"
      size={isEmpty ? 'large' : 'normal'}
    >
      {isEmpty ? 'Design a network' : 'New network'}
    </ButtonLink>
  );
  const whoseChoice = isAdmin && (
    <Choice label="Owner" value={whose} onChange={setWhose} options={{ '': 'Only mine', all: 'All users' }} />
  );
  return (
    <Page title={title} actions={isEmpty ? (isAdmin ? whoseChoice : undefined) : design} isFilling>
      <Loading data={rows} failure={failure} again="list_emulator_runs" lines={8} />
      {isEmpty && (
        <EmptyState
          title={isFiltered ? 'No networks have been started yet.' : 'No emulated networks yet'}
          actions={
            <div class="emulator-start">
              <DemoButton />
              {design}
            </div>
          }
        >
          The emulator runs 5G cells, WiFi access points and LiFi lamps with devices that move and use data. Weft treats
          them like real access points.
        </EmptyState>
      )}
      {rows && !isEmpty && (
        <Table
          label={title}
          rows={rows}
          columns={whose === 'all' ? allUsersColumns : ownColumns}
          hrefOf={({ job_number }) => `/emulator/${encodeURIComponent(job_number)}`}
          textOf={textOf}
          initialSort="started"
          tools={whoseChoice}
        />
      )}
      <OlderButton feed={feed} words="Show older networks" />
    </Page>
  );
}

/** One press, and there is something to look at. */
function DemoButton() {
  const { isBusy, act } = useAction();
  const start = () =>
    act(async () => {
      await startDemoNetwork();
      navigate(`/emulator/${demoNetwork.peek()!.job_number}`);
    });
  return (
    <Button
      kind="primary"
      size="large"
      icon="play"
      isBusy={isBusy}
      onClick={start}
      words="Start 12 access points in Bristol"
    />
  );
}
