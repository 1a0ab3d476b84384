// How a network fares now and which way it goes, and how much of its time is left.
import type { EmulatorRun } from '../../api/operations.ts';
import { Notice } from '../../components/feedback/notice.tsx';
import { StatCard } from '../../components/layout/stat-card.tsx';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { formatMoment, formatSpan } from '../../format/times.ts';
import { emulatorText } from '../../text/emulator.ts';
import { RunProgress } from './run-progress.tsx';
import { type RunEvent, toRunEvent } from './run-words.ts';

const text = emulatorText.run;
const trendLength = 60;
/** Less than this is the ordinary unevenness of a busy machine. */
const lateSeconds = 5;

export function RunCounters({ run, events }: { run: EmulatorRun; events: readonly RunEvent[] }) {
  const latest = run.latest ? toRunEvent(run.latest, 0) : undefined;
  const trend = (pick: (event: RunEvent) => number | undefined) => {
    // Its room is there from the start.
    return { trend: events.slice(-trendLength).map(pick) };
  };
  const isWaiting = latest === undefined && !run.is_over;
  const figure = (value: number | undefined, unit = '') =>
    value !== undefined ? split(formatValue(value, unit)) : { value: isWaiting ? undefined : '–' };
  const online = run.is_over ? 0 : latest?.agentsOnline;
  const late = latest?.lateBySeconds ?? 0;
  return (
    <>
      {!run.is_over && (
        <section class="card run-time" aria-label={text.progress}>
          <RunProgress run={run} />
          {latest?.modelTime !== undefined && (
            <span class="soft">
              {text.modelTime} {formatMoment(latest.modelTime)}
            </span>
          )}
        </section>
      )}
      {!run.is_over && late > lateSeconds && <Notice kind="warning" title={text.late(formatSpan(late, 2))} />}
      {run.is_over && latest && <p class="soft">{text.lastFigures}</p>}
      <div class="stat-grid">
        <StatCard
          label={text.online}
          {...figure(online)}
          detail={text.ofAll(formatNumber(run.access_points))}
          {...trend(({ agentsOnline }) => agentsOnline)}
        />
        <StatCard
          label={text.served}
          {...figure(latest?.served)}
          detail={text.ofAll(formatNumber(run.devices))}
          {...trend(({ served }) => served)}
        />
        <StatCard label={text.power} {...figure(latest?.powerW, 'W')} {...trend(({ powerW }) => powerW)} />
        <StatCard
          label={text.throughput}
          {...figure(latest?.deliveredMbps, 'Mb/s')}
          {...trend(({ deliveredMbps }) => deliveredMbps)}
        />
      </div>
    </>
  );
}

/** The figure large, its unit small beside it. */
export function split(written: string): { value: string; unit?: string } {
  const match = /^(.*\d)\u2009([^\d\u2009]+)$/.exec(written);
  return match ? { value: match[1]!, unit: match[2]! } : { value: written };
}
