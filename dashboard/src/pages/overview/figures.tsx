// What the network carries, serves and draws.

import { StatCard } from '../../components/layout/stat-card.tsx';
import { timeWindow } from '../../data/time-window.ts';
import { formatValue } from '../../format/numbers.ts';
import { overviewText } from '../../text/overview.ts';
import { shellText } from '../../text/shell.ts';
import type { SummedMetric } from './fleet-sums.ts';
import type { FleetSums } from './use-fleet-sums.ts';

const text = overviewText;
const thin = '\u2009';

export function Figures({ fleet }: { fleet: FleetSums }) {
  return (
    <div class="stat-grid overview-figures" role="group" aria-label={text.carried}>
      <SumCard label={text.throughput} metric="throughput_mbps" unit="Mb/s" fleet={fleet} />
      <SumCard label={text.devices} metric="connected_devices" unit="" fleet={fleet} />
      <SumCard label={text.power} metric="power_w" unit="W" fleet={fleet} detail={energyWords(fleet)} />
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
