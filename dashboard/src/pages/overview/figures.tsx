// The row of figures: who is there, what the network carries, serves and draws, who is in whose way, what is under way.
import { computed } from '@preact/signals';
import { StateDot } from '../../components/glyph.tsx';
import { StatCard } from '../../components/layout/stat-card.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { now } from '../../data/freshness.ts';
import { timeWindow, timeWindowSeconds } from '../../data/time-window.ts';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { shortAgentName } from '../../format/short-agent-name.ts';
import { overviewText } from '../../text/overview.ts';
import { shellText } from '../../text/shell.ts';
import type { SummedMetric } from './fleet-sums.ts';
import type { FleetSums } from './use-fleet-sums.ts';

const text = overviewText;
const thin = '\u2009';
const maxListed = 100;
/** Moves once a minute, so that what is asked about the window is not asked again every second. */
const minute = computed(() => Math.floor(now.value / 60_000));

export function Figures({ agents, fleet }: { agents: readonly FleetAgent[] | undefined; fleet: FleetSums }) {
  const count = (state: FleetAgent['state']) => agents?.filter((agent) => agent.state === state).length;
  const show = (number: number | undefined) => (number === undefined ? undefined : formatNumber(number));
  const late = count('late');
  const offline = count('offline');
  const neverConnected = count('never');
  return (
    <div class="stat-grid overview-figures" role="group" aria-label={text.figures}>
      <StatCard
        label={text.online}
        mark={<StateDot state="online" />}
        value={show(count('online'))}
        detail={agents && text.ofAll(formatNumber(agents.length))}
        href="/agents?state=online"
      />
      <StatCard
        label={text.late}
        mark={<StateDot state="late" />}
        value={show(late)}
        detail={text.lateWords}
        tone={late ? 'late' : 'normal'}
        href="/agents?state=late"
      />
      <StatCard
        label={text.offline}
        mark={<StateDot state="offline" />}
        value={show(offline)}
        detail={neverConnected ? text.neverConnected(formatNumber(neverConnected)) : text.offlineWords}
        tone={offline ? 'bad' : 'normal'}
        href="/agents?state=offline"
      />
      <SumCard label={text.throughput} metric="throughput_mbps" unit="Mb/s" fleet={fleet} />
      <SumCard label={text.devices} metric="connected_devices" unit="" fleet={fleet} />
      <SumCard label={text.power} metric="power_w" unit="W" fleet={fleet} detail={energyWords(fleet)} />
      <ConflictsCard />
      <JobsCard />
    </div>
  );
}

interface SumCardProps {
  label: string;
  metric: SummedMetric;
  unit: string;
  fleet: FleetSums;
  detail?: string | undefined;
}

function SumCard({ label, metric, unit, fleet: { sums, trend }, detail }: SumCardProps) {
  const words = sums && formatValue(sums[metric], unit);
  const cut = unit === '' ? -1 : (words?.lastIndexOf(thin) ?? -1);
  return (
    <StatCard
      label={label}
      value={cut < 0 ? words : words?.slice(0, cut)}
      {...(words !== undefined && cut >= 0 && { unit: words.slice(cut + 1) })}
      trend={trend?.bins.map((bin) => bin?.[metric]) ?? []}
      detail={detail}
      href="/agents"
    />
  );
}

function energyWords({ isWhole, energyInWindow, energySinceOpening }: FleetSums): string {
  if (!isWhole) return text.energySince(formatValue(energySinceOpening, 'Wh'));
  const amount = energyInWindow === undefined ? '–' : formatValue(energyInWindow, 'Wh');
  return text.energyIn(amount, shellText.windows[timeWindow.value]);
}

function ConflictsCard() {
  const window = shellText.windows[timeWindow.value];
  const since = new Date((minute.value + 1) * 60_000 - timeWindowSeconds.value * 1000).toISOString();
  const { data } = useOperation('list_conflicts', { query: { since, limit: maxListed } }, { pollMs: 5000 });
  const found = data?.conflicts;
  const pair = found?.find(({ rival, caller_name }) => rival && caller_name);
  return (
    <StatCard
      label={text.conflicts}
      value={found && `${formatNumber(found.length)}${data.next_before === null ? '' : '+'}`}
      tone={found?.length ? 'late' : 'normal'}
      detail={
        found?.length === 0
          ? text.noConflicts(window)
          : pair
            ? text.lastConflict(shortAgentName(pair.caller_name!), shortAgentName(pair.rival!.caller_name))
            : text.conflictsIn(window)
      }
      href="/conflicts"
    />
  );
}

function JobsCard() {
  const { data } = useOperation('list_jobs', { query: { state: 'running', limit: maxListed } }, { pollMs: 5000 });
  return (
    <StatCard
      label={text.jobs}
      value={data && `${formatNumber(data.length)}${data.length === maxListed ? '+' : ''}`}
      detail={data?.length === 0 ? text.noJobs : text.jobsWords}
      href="/jobs?state=running"
    />
  );
}
