// How much energy the network has drawn and what was saved: figures, over time, by site, technology and program.

import { ownOf } from '@weft/contract/is-object';
import { technologyNames } from '@weft/contract/technologies';
import './energy-page.css';
import { useMemo } from 'preact/hooks';
import { type Answer, open } from '../../../api/client.ts';
import { Chart } from '../../../components/chart/chart.tsx';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { saveFile } from '../../../components/copyable.tsx';
import { attempt, EmptyState, FailureNotice, SkeletonLines, showToast } from '../../../components/feedback.tsx';
import { Page } from '../../../components/page.tsx';
import { StatCard } from '../../../components/stat-card.tsx';
import {
  ExportMenu,
  type TimeWindow,
  TimeWindowMenu,
  timeWindow,
  timeWindowSeconds,
} from '../../../components/time-window.tsx';
import { serverNow } from '../../../data/freshness.ts';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatNumber, formatSpan, splitUnit } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { componentText } from '../../../text/components.ts';
import { energyText } from '../../../text/pages.ts';
import {
  amountCells,
  amountTitles,
  EnergyTable,
  formatCo2,
  formatEnergy,
  formatMoney,
  formatShare,
} from './energy-words.tsx';
import { type RerunInSight, SavingsCard, savedShare, useRerun } from './savings-card.tsx';

const accessPoints = 'Access points';
const names = { real: 'Real', emulated: 'Emulated' } as Record<string, string>;

type Energy = Answer<'get_energy'>;

const pollMs = 60_000;
/** In the order of the colours of lines, which are those of technologies. */
const rankOf = (technology: string) => (technologyNames as readonly string[]).indexOf(technology) >>> 0;

export function EnergyPage({ title }: PageProps) {
  const window = timeWindow.value;
  const { data, failure } = useOperation('get_energy', { query: { window } }, { pollMs });
  const isAdmin = session.value?.isAdmin === true;
  const runs = useOperation('list_emulator_runs', { query: { limit: 20, ...(isAdmin && { all: true }) } }, { pollMs });
  const networks = useMemo(
    () =>
      runs.data
        ?.filter(({ state }) => state === 'running')
        .map(({ job_number, access_points }) => {
          const count = formatCount(access_points, 'access point');
          return [job_number, `${job_number.slice(0, 8)}: ${count}`] as const;
        }),
    [runs.data],
  );
  const [wanted, setNetwork] = useQueryState('network');
  const network = networks?.find(([job_number]) => job_number === wanted)?.[0] ?? networks?.[0]?.[0];
  const rerun = useRerun(network, window);
  const exportCsv = async (wide: TimeWindow) => {
    await attempt(async () => {
      const response = await open('export_energy', { query: { window: wide } });
      saveFile(await response.blob(), 'weft-energy.csv');
      showToast({ title: 'The energy of each access point was exported' });
    });
  };
  const isEmpty = data?.total.access_points === 0;
  return (
    <Page
      title={title}
      actions={
        <>
          <ExportMenu words="Export CSV" onChoose={exportCsv} />
          <TimeWindowMenu />
        </>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_energy')} />}
      <Figures data={data} rerun={rerun} hasNetwork={networks === undefined || network !== undefined} />
      {isEmpty ? (
        <EmptyState title="No energy was measured in this time">
          Access points report their power as power_w, in watts. Choose a longer time, or start an emulated network.
        </EmptyState>
      ) : (
        <>
          <PowerChart data={data} />
          {data ? <Gaps data={data} /> : <SkeletonLines count={1} />}
        </>
      )}
      <SavingsCard
        measured={data && formatEnergy(data.total.kwh)}
        rerun={rerun}
        networks={networks}
        network={network}
        onNetwork={setNetwork}
      />
      {data && !isEmpty && (
        <div class="energy-columns">
          <UseTable title="By site" rows={data.sites} currency={data.currency} />
          <UseTable title="By technology" rows={data.technologies} currency={data.currency} />
          {data.kinds.length > 1 && <UseTable title="Real and emulated" rows={data.kinds} currency={data.currency} />}
          {!rerun.result && data.programs.length > 0 && <ProgramTable programs={data.programs} />}
        </div>
      )}
    </Page>
  );
}

const figure = (words: string | undefined) => (words === undefined ? { value: undefined } : splitUnit(words));

interface FiguresProps {
  data: Energy | undefined;
  rerun: RerunInSight;
  /** Whether what was saved can be worked out, or may be. */
  hasNetwork: boolean;
}

function Figures({ data, rerun: { result, progress, failure, detail }, hasNetwork }: FiguresProps) {
  const { total, currency = '' } = data ?? {};
  const rates = data && {
    price: `at ${formatMoney(data.price_per_kwh, currency)} a kWh`,
    co2: `at ${formatCo2(data.co2_g_per_kwh / 1000)} a kWh`,
  };
  const isOut = !hasNetwork || failure !== undefined || detail !== undefined;
  const working = `Running the hours again: ${formatShare(Math.round(progress * 100) / 100)}`;
  return (
    <div class="stat-grid">
      <StatCard
        label="Used"
        {...figure(total && formatEnergy(total.kwh))}
        detail={total && `by ${formatCount(total.access_points, 'access point')}`}
      />
      <StatCard label={energyText.cost} {...figure(total && formatMoney(total.cost, currency))} detail={rates?.price} />
      <StatCard label={energyText.co2} {...figure(total && formatCo2(total.co2_kg))} detail={rates?.co2} />
      <StatCard
        label={energyText.saved}
        {...figure(result ? formatEnergy(result.saved.kwh) : isOut ? '–' : undefined)}
        detail={
          result
            ? `${formatMoney(result.saved.cost, result.currency)}, ${formatCo2(result.saved.co2_kg)} · ${savedShare(result)}`
            : isOut
              ? 'Known on emulated networks only'
              : working
        }
      />
    </div>
  );
}

function PowerChart({ data }: { data: Energy | undefined }) {
  const lines = useMemo(() => {
    const times = data?.times.map((time) => Date.parse(time) / 1000 + data.bucket_seconds / 2);
    return (
      times &&
      Object.entries((data?.power_w ?? {}) as Record<string, (number | null)[]>)
        .map(([name, values]): ChartLine => ({ name, label: name || componentText.unknownTechnology, times, values }))
        .sort((a, b) => rankOf(a.name) - rankOf(b.name))
    );
  }, [data]);
  const to = data ? Date.parse(data.end) / 1000 : serverNow() / 1000;
  return (
    <Chart
      title="Power by technology"
      unit="W"
      lines={lines}
      range={{ from: to - timeWindowSeconds.value, to }}
      resolutionSeconds={data?.bucket_seconds}
      syncKey="energy"
      onZoom={() => {}}
    />
  );
}

function measuredShare({ measured_hours, missing_hours }: Energy['total']): number {
  return measured_hours / Math.max(1e-9, measured_hours + missing_hours);
}

/** What is not in the figures. */
function Gaps({ data: { total, unmeasured } }: { data: Energy }) {
  const share = measuredShare(total);
  return (
    <p class="soft small energy-gaps">
      {share < 0.99 &&
        `Power is known for ${formatShare(Math.round(share * 100) / 100)} of this time. The rest, ${formatSpan(total.missing_hours * 3600, 2)} of all access points together, is not counted.`}{' '}
      {unmeasured > 0 && `${formatCount(unmeasured, 'access point')} reported no power (power_w).`}
    </p>
  );
}

function UseTable({ title, rows, currency }: { title: string; rows: Energy['sites']; currency: string }) {
  return (
    <section class="card">
      <EnergyTable
        caption={title}
        titles={[energyText.columns.name, accessPoints, 'Energy', ...amountTitles, 'Measured']}
        rows={rows.map((row) => [
          row.name === null ? 'In no site' : (ownOf(names, row.name) ?? row.name),
          formatNumber(row.access_points),
          ...amountCells(row, currency),
          formatShare(Math.round(100 * measuredShare(row)) / 100),
        ])}
      />
    </section>
  );
}

function ProgramTable({ programs }: Pick<Energy, 'programs'>) {
  return (
    <section class="card">
      <EnergyTable
        caption={energyText.tables.programs}
        titles={[energyText.columns.name, energyText.columns.commands, accessPoints]}
        rows={programs.map(({ name, commands, access_points }) => [
          name ?? energyText.others,
          formatNumber(commands),
          formatNumber(access_points),
        ])}
      />
    </section>
  );
}
