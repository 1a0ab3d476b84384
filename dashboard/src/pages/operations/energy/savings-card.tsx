// What commands about sleep and power have saved on an emulated network, by whom, and what that cost in service.
import type { EnergyRerun } from '@weft/contract/operations';
import { useEffect, useState } from 'preact/hooks';
import { call, type Failure, toFailure } from '../../../api/client.ts';
import { Chart } from '../../../components/chart/chart.tsx';
import type { ChartLine } from '../../../components/chart/chart-shape.ts';
import { FailureNotice, Notice } from '../../../components/feedback.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { useOperation } from '../../../data/use-operation.ts';
import { formatCount, formatMoment, formatNumber, formatSpan, formatValue } from '../../../format.ts';
import { energyText } from '../../../text/pages.ts';
import { type Amount, amountCells, amountTitles, EnergyTable, formatEnergy, formatShare } from './energy-words.tsx';

const text = {
  title: 'What sleep and power commands have saved',
  running: 'The same hours are run again without the commands',
  cut: {
    model_time: 'Only the first 24 hours of the network were run again.',
    computing_time: 'Computing ended after ten minutes: the result ends early.',
  },
  lines: { with: 'As it was', without: 'Without the commands' },
};

const pollMs = { open: 1_000, ended: 600_000 };

export interface RerunInSight {
  result: EnergyRerun | undefined;
  /** From 0 to 1. */
  progress: number;
  failure: Failure | undefined;
  /** Why the job has failed. */
  detail: string | undefined;
}

/** Asks for the run without the commands, and follows its job. Of no network: nothing is asked. */
export function useRerun(network: string | undefined, window: string): RerunInSight {
  const [job_number, setJob] = useState<string | undefined>(undefined);
  const [refusal, setRefusal] = useState<Failure | undefined>(undefined);
  useEffect(() => {
    setJob(undefined);
    setRefusal(undefined);
    if (network === undefined) return undefined;
    const leaving = new AbortController();
    call('rerun_energy', { json: { job_number: network, window } }, { signal: leaving.signal }).then(
      (job) => setJob(job.job_number),
      (error) => !leaving.signal.aborted && setRefusal(toFailure(error)),
    );
    return () => leaving.abort();
  }, [network, window]);
  const { data, failure } = useOperation(
    'get_job',
    { path: { job_number: job_number ?? '' } },
    { isWanted: job_number !== undefined, pollMs: ({ ended_at }) => (ended_at ? pollMs.ended : pollMs.open) },
  );
  const job = job_number === undefined ? undefined : data;
  const result = job?.messages.find(({ type }) => type === 'energy')?.data[0] as EnergyRerun | undefined;
  const hasFailed = job !== undefined && job.ended_at !== null && !result;
  return {
    result,
    progress: job?.progress ?? 0,
    failure: refusal ?? failure,
    detail: hasFailed ? (job.detail ?? '') : undefined,
  };
}

interface SavingsCardProps {
  /** What the page says was used. */
  measured: string | undefined;
  rerun: RerunInSight;
  /** Undefined while they are not known. */
  networks: readonly (readonly [job_number: string, name: string])[] | undefined;
  network: string | undefined;
  onNetwork: (job_number: string) => void;
}

export function SavingsCard({ measured = '…', rerun, networks, network, onNetwork }: SavingsCardProps) {
  const { result, progress, failure, detail } = rerun;
  return (
    <section class="card stack energy-savings" aria-label={text.title}>
      <div class="spread">
        <h2>{text.title}</h2>
        {networks && networks.length > 1 && (
          <Choice label="Emulated network" value={network ?? ''} options={networks} onChange={onNetwork} />
        )}
      </div>
      {networks?.length === 0 && (
        <p class="soft">
          What real access points would have drawn without the commands is unknown. On an emulated network the same
          hours are run again from the same seed, without them.
        </p>
      )}
      {failure && <FailureNotice failure={failure} />}
      {detail !== undefined && <Notice kind="warning" title="It could not be worked out" words={detail} />}
      {network !== undefined && !result && !failure && detail === undefined && (
        <div class="progress">
          <div class="spread small">
            <span>{text.running}</span>
            <span class="faint">{formatShare(Math.round(progress * 100) / 100)}</span>
          </div>
          <progress value={progress} aria-label={text.running} />
        </div>
      )}
      {result && <Savings {...{ result, measured }} />}
    </section>
  );
}

function Savings({ result, measured }: { result: EnergyRerun; measured: string }) {
  const { start, end, used, without, commands, limited_by, currency, programs, service } = result;
  const span = `${formatMoment(start)} – ${formatMoment(end)}`;
  return (
    <>
      <p>
        {`${span}: ${formatEnergy(used.kwh)} with the commands, ${formatEnergy(without.kwh)} without them.`}{' '}
        <span class="soft">{`${formatCount(commands, 'command')} left out; all other commands and faults are the same.`}</span>
      </p>
      <p class="soft small">{`Both are computed, for this network and these hours alone. “Used” (${measured}) is something else: what all access points have reported in the time chosen above.`}</p>
      {limited_by.map((why) => (
        <Notice key={why} kind="warning" title={text.cut[why]} />
      ))}
      {programs.length === 0 ? (
        <p class="soft">No program has sent commands about sleep or power here.</p>
      ) : (
        <>
          <SavingsChart result={result} />
          <div class="energy-columns">
            <EnergyTable
              caption={energyText.tables.programs}
              titles={[energyText.columns.name, energyText.columns.commands, energyText.saved, ...amountTitles]}
              rows={programs.map(({ name, commands, saved }) => [
                name ?? energyText.others,
                formatNumber(commands),
                ...amountCells(saved as Amount, currency),
              ])}
            />
            <ServiceTable service={service} />
          </div>
        </>
      )}
    </>
  );
}

function ServiceTable({ service }: Pick<EnergyRerun, 'service'>) {
  const minutes = (side: 'with' | 'without') => formatSpan(service[side].without_service_minutes * 60, 2);
  const share = (side: 'with' | 'without') => {
    const percent = service[side].within_delay_budget_pct;
    return percent === null ? '–' : formatValue(percent, '%');
  };
  const row = (label: string, words: typeof share) => [label, words('with'), words('without')];
  return (
    <EnergyTable
      caption="What it cost in service"
      titles={[energyText.columns.name, text.lines.with, text.lines.without]}
      rows={[row('Time without service, all devices together', minutes), row('Time within the delay budget', share)]}
    />
  );
}

function SavingsChart({ result: { start, end, bucket_seconds, power_w } }: { result: EnergyRerun }) {
  const from = Date.parse(start) / 1000;
  const line = (name: 'with' | 'without'): ChartLine => ({
    name,
    label: text.lines[name],
    times: power_w[name].map((_, n) => from + (n + 0.5) * bucket_seconds),
    values: power_w[name],
  });
  return (
    <Chart
      title="Power of the network"
      unit="W"
      lines={[line('with'), line('without')]}
      range={{ from, to: Date.parse(end) / 1000 }}
      resolutionSeconds={bucket_seconds}
      syncKey="energy-savings"
      onZoom={() => {}}
    />
  );
}

/** `12 % less than without the commands`. */
export function savedShare({ saved, without }: Pick<EnergyRerun, 'saved' | 'without'>): string {
  if (saved.kwh === 0 || without.kwh === 0) return 'No commands about sleep or power';
  const share = formatShare(Math.abs(saved.kwh) / without.kwh);
  return `${share} ${saved.kwh > 0 ? 'less' : 'more'} than without the commands`;
}
