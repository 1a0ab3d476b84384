// What each technology contributes, as a small table whose rows lead to the agents behind them.
import { TechnologyChip } from '../../components/glyph.tsx';
import type { FleetAgent } from '../../data/fleet.ts';
import { formatNumber, formatValue } from '../../format/numbers.ts';
import { overviewText } from '../../text/overview.ts';
import { sumLatest } from './fleet-sums.ts';
import type { FleetSums } from './use-fleet-sums.ts';

const text = overviewText.technology;
const technologies = ['5G', 'WiFi', 'LiFi', undefined] as const;

interface TechnologyTableProps {
  agents: readonly FleetAgent[];
  latest: FleetSums['latest'];
}

export function TechnologyTable({ agents, latest }: TechnologyTableProps) {
  return (
    <section class="card technology-table" aria-label={text.title}>
      <h2>{text.title}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{text.type}</th>
            <th scope="col">{text.online}</th>
            <th scope="col">{text.throughput}</th>
            <th scope="col">{text.devices}</th>
            <th scope="col">{text.power}</th>
          </tr>
        </thead>
        <tbody>
          {technologies.map((technology) => {
            const own = agents.filter((agent) => agent.technology === technology);
            if (own.length === 0 && technology === undefined) return null;
            const names = new Set(own.map(({ ap_id }) => ap_id));
            const sums = latest && sumLatest(latest, (ap_id) => names.has(ap_id));
            const online = own.filter(({ state }) => state === 'online').length;
            return (
              <tr key={technology ?? ''}>
                <th scope="row">
                  <a href={technology === undefined ? '/agents' : `/agents?type=${technology}`}>
                    <TechnologyChip technology={technology} />
                  </a>
                </th>
                <td>
                  {formatNumber(online)} <span class="faint">{overviewText.ofAll(formatNumber(own.length))}</span>
                </td>
                <td>{sums ? formatValue(sums.throughput_mbps, 'Mb/s') : '–'}</td>
                <td>{sums ? formatNumber(sums.connected_devices) : '–'}</td>
                <td>{sums ? formatValue(sums.power_w, 'W') : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
