// Five figures on top: what is served, how well, and at what price; each with its last day, the change since yesterday, and where it
// leads.
import { FailureNotice } from '../../../components/feedback.tsx';
import { StatCard } from '../../../components/stat-card.tsx';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { isPageOfOurs } from '../../../router/location.ts';
import { changeWords, type FigureName, figureOf } from './figure-words.ts';

const names = {
  served_devices: 'Devices served',
  within_budget_pct: 'In delay budget',
  throughput_mbps: 'Throughput',
  power_w: 'Power',
  availability_pct: 'Availability',
};

const withSelector =
  (path: string, more: Record<string, string> = {}) =>
  (selector: string) => {
    const query = String(new URLSearchParams({ ...more, ...(selector !== '' && { selector }) }));
    return query === '' ? path : `${path}?${query}`;
  };

const byPower = withSelector('/agents', { columns: 'power_w', sort: '-power_w' });

const rows: readonly [name: FigureName, unit: string, href: (selector: string) => string][] = [
  ['served_devices', '', withSelector('/devices')],
  ['within_budget_pct', '%', withSelector('/agents', { columns: 'qos_met_pct', sort: 'qos_met_pct' })],
  ['throughput_mbps', 'Mb/s', withSelector('/agents', { columns: 'throughput_mbps', sort: '-throughput_mbps' })],
  ['power_w', 'W', (selector) => (isPageOfOurs('/energy') ? '/energy' : byPower(selector))],
  ['availability_pct', '%', withSelector('/incidents')],
];

const pollMs = 10_000;

/** `selector`: of these access points; default: of all. */
export function FigureStrip({ selector = '' }: { selector?: string }) {
  const query = selector === '' ? {} : { selector };
  const { data, failure } = useOperation('network_figures', { query }, { pollMs });
  return (
    <>
      {failure && <FailureNotice failure={failure} onRetry={() => queries.refresh('network_figures')} />}
      <div class="figure-strip" role="group" aria-label="The network now, and its last day">
        {rows.map(([name, unit, href]) => {
          const figure = data?.[name];
          const shown = figure && figureOf(figure.now, unit);
          return (
            <StatCard
              key={name}
              label={names[name]}
              value={figure && (shown?.value ?? '–')}
              unit={shown?.unit ?? ''}
              trend={figure?.day.map((value) => value ?? undefined) ?? []}
              detail={figure ? changeWords(figure.now, figure.day[0], unit === '%') : '\u00a0'}
              href={href(selector)}
            />
          );
        })}
      </div>
    </>
  );
}
