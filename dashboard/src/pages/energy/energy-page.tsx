// How much energy the network has drawn and what was saved: figures, over time, by site, technology and program.
import { ownOf } from '@weft/contract/is-object';
import './energy-page.css';
import { useMemo } from 'preact/hooks';
import { type Answer, open } from '../../api/client.ts';
import { Chart } from '../../components/chart/chart.tsx';
import type { ChartLine } from '../../components/chart/chart-shape.ts';
import { saveFile } from '../../components/copyable.tsx';
import { attempt, EmptyState, FailureNotice, SkeletonLines, showToast } from '../../components/feedback.tsx';
import { Page } from '../../components/page.tsx';
import { StatCard } from '../../components/stat-card.tsx';
import {
  ExportMenu,
  type TimeWindow,
  TimeWindowMenu,
  timeWindow,
  timeWindowSeconds,
} from '../../components/time-window.tsx';
import { serverNow } from '../../data/freshness.ts';
import { queries, useOperation } from '../../data/use-operation.ts';
import { formatCount, formatNumber, formatSpan, splitUnit } from '../../format.ts';
import { useQueryState } from '../../router/location.ts';
import { session } from '../../session/session.ts';
import { componentText, pageTitles } from '../../text/components.ts';
import { energyText as text } from '../../text/energy.ts';
import {
  amountCells,
  amountTitles,
  EnergyTable,
  formatCo2,
  formatEnergy,
  formatMoney,
  formatShare,
} from './energy-words.tsx';
import { SavingsCard, savedShare } from './savings-card.tsx';
import { type RerunInSight, useRerun } from './use-rerun.ts';

type Energy = Answer<'get_energy'>;

const pollMs = 60_000;
/** In the order of the colours of lines, which are those of technologies. */
const rankOf = (technology: string) => ['5G', 'WiFi', 'LiFi'].indexOf(technology) >>> 0;

export function EnergyPage() {
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
          return [job_number, text.savings.networkName(job_number.slice(0, 8), count)] as const;
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
      showToast({ title: text.exported });
    });
  };
  const isEmpty = data?.total.access_points === 0;
  return (
    <Page
      title={pageTitles.energy}
      actions={
        <>
          <ExportMenu words={text.exportCsv} onChoose={exportCsv} />
          <TimeWindowMenu />
        </>
      }
    >
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('get_energy')} />}
      <Figures data={data} rerun={rerun} hasNetwork={networks === undefined || network !== undefined} />
      {isEmpty ? (
        <EmptyState title={text.none.title}>{text.none.words}</EmptyState>
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
          <UseTable title={text.tables.sites} rows={data.sites} currency={data.currency} />
          <UseTable title={text.tables.technologies} rows={data.technologies} currency={data.currency} />
          {data.kinds.length > 1 && <UseTable title={text.tables.kinds} rows={data.kinds} currency={data.currency} />}
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
  const rates = data && text.rates(formatMoney(data.price_per_kwh, currency), formatCo2(data.co2_g_per_kwh / 1000));
  const isOut = !hasNetwork || failure !== undefined || detail !== undefined;
  const working = text.working(formatShare(Math.round(progress * 100) / 100));
  return (
    <div class="stat-grid">
      <StatCard
        label={text.used}
        {...figure(total && formatEnergy(total.kwh))}
        detail={total && text.of(formatCount(total.access_points, 'access point'))}
      />
      <StatCard label={text.cost} {...figure(total && formatMoney(total.cost, currency))} detail={rates?.price} />
      <StatCard label={text.co2} {...figure(total && formatCo2(total.co2_kg))} detail={rates?.co2} />
      <StatCard
        label={text.saved}
        {...figure(result ? formatEnergy(result.saved.kwh) : isOut ? '–' : undefined)}
        detail={
          result
            ? `${formatMoney(result.saved.cost, result.currency)}, ${formatCo2(result.saved.co2_kg)} · ${savedShare(result)}`
            : isOut
              ? text.unknown
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
      title={text.power}
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
        text.missing(formatSpan(total.missing_hours * 3600, 2), formatShare(Math.round(share * 100) / 100))}{' '}
      {unmeasured > 0 && text.unmeasured(formatCount(unmeasured, 'access point'))}
    </p>
  );
}

function UseTable({ title, rows, currency }: { title: string; rows: Energy['sites']; currency: string }) {
  const { name, accessPoints, energy, measured } = text.columns;
  return (
    <section class="card">
      <EnergyTable
        caption={title}
        titles={[name, accessPoints, energy, ...amountTitles, measured]}
        rows={rows.map((row) => [
          row.name === null ? text.noSite : (ownOf(text.names, row.name) ?? row.name),
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
        caption={text.tables.programs}
        titles={[text.columns.name, text.columns.commands, text.columns.accessPoints]}
        rows={programs.map(({ name, commands, access_points }) => [
          name ?? text.others,
          formatNumber(commands),
          formatNumber(access_points),
        ])}
      />
    </section>
  );
}
