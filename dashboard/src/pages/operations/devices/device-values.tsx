// The values of a device as lists show them (what kind, where, how well, since when), and the columns of the list of devices, by
// whose names the server sorts.
import type { Device, DeviceLink } from '../../../api/client.ts';
import { AgentName, LastSeen } from '../../../components/agent-name.tsx';
import { Icon } from '../../../components/button.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import { type Column, column, wideColumn } from '../../../components/tables/table.tsx';
import { agentName, technologyOf } from '../../../data/agents.ts';
import { awaySince, now } from '../../../data/freshness.ts';
import { formatAge, formatMoment, formatValue } from '../../../format.ts';
import { devicesText } from '../../../text/pages.ts';
import type { SteeringOutcome } from './steer-card.tsx';

const stickyShort = 'Sticky';
const watchedShort = 'Watched';

const signs: Record<SteeringOutcome, string> = {
  moved: 'M4.4 7.2l1.9 1.9 3.4-3.9',
  refused: 'M5 5l4 4M9 5 5 9',
  unreachable: 'M7 4v3.6M7 9.8v.1',
  ignored: 'M4.6 7h4.8',
};

export function OutcomeMark({ outcome }: { outcome: SteeringOutcome }) {
  return (
    <svg class={`outcome-mark ${outcome}`} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="6" />
      <path d={signs[outcome]} />
    </svg>
  );
}

const none = <span class="faint">–</span>;

export function deviceHref(device: string): string {
  return `/devices/${encodeURIComponent(device)}`;
}

/** Its name, and what is remarkable about it; with the shapes of its technologies where no column has them. */
export function DeviceName({ device, hasTypes = false }: { device: Device; hasTypes?: boolean }) {
  const { device: name, technologies, sticky, watched_until } = device;
  return (
    <span class="device-name">
      {hasTypes &&
        technologies.map((access_point_type) => (
          <Glyph key={access_point_type} technology={technologyOf({ access_point_type })} />
        ))}
      <span class="mono">{name}</span>
      {sticky && (
        <span class="device-mark is-warning" title={stickyShort}>
          <Icon name="warning" size={14} />
          <span class="visually-hidden">{stickyShort}</span>
        </span>
      )}
      {watched_until && (
        <span class="device-mark faint" title={watchedShort}>
          <Icon name="eye" size={14} />
          <span class="visually-hidden">{watchedShort}</span>
        </span>
      )}
    </span>
  );
}

/** The technologies of its links, each with its shape. */
export function Technologies({ technologies }: Pick<Device, 'technologies'>) {
  if (technologies.length === 0) return none;
  return (
    <span class="device-technologies">
      {technologies.map((access_point_type) => (
        <span key={access_point_type} class="chip">
          <Glyph technology={technologyOf({ access_point_type })} />
          <span>{access_point_type}</span>
        </span>
      ))}
    </span>
  );
}

/** The strongest of its links; of a device without one where it was last. */
export function ServingAgent({ device: { links, last_ap_id } }: { device: Device }) {
  const [link, ...others] = links;
  if (!link) {
    return <span class="faint">{last_ap_id ? `last at ${agentName(last_ap_id)}` : devicesText.attachedNowhere}</span>;
  }
  return (
    <>
      <AgentName ap_id={link.ap_id} />
      {others.length > 0 && <span class="faint"> {`+${others.length}`}</span>}
    </>
  );
}

export function Level({ dbm }: { dbm: number | null | undefined }) {
  return dbm === null || dbm === undefined ? none : <span>{formatValue(dbm, 'dBm')}</span>;
}

export function Rates({ link }: { link: Pick<DeviceLink, 'rx_mbps' | 'tx_mbps'> | undefined }) {
  if (!link || (link.rx_mbps === null && link.tx_mbps === null)) return none;
  return <span>{`${rateWords(link.tx_mbps)} / ${rateWords(link.rx_mbps)}`}</span>;
}

export function rateWords(mbps: number | null): string {
  return mbps === null ? '–' : formatValue(mbps, 'Mb/s');
}

/** How long it has been so, growing by itself. */
export function Since({ at }: { at: string | undefined }) {
  if (at === undefined) return none;
  const ms = Date.parse(at);
  if (awaySince.value !== undefined) return <span>{formatMoment(ms)}</span>;
  return <span title={formatMoment(ms)}>{formatAge(Math.max(0, (now.value - ms) / 1000))}</span>;
}

export const deviceColumns: Column<Device>[] = [
  column('device', devicesText.columns.device, 'minmax(190px, 1.2fr)', {
    cell: (device, isShown) => <DeviceName device={device} hasTypes={!isShown('technology')} />,
  }),
  wideColumn('technology', 'Type', 'minmax(76px, 0.5fr)', {
    cell: ({ technologies }) => <Technologies technologies={technologies} />,
  }),
  wideColumn('ap_id', devicesText.columns.agent, 'minmax(130px, 1.4fr)', {
    cell: (device) => <ServingAgent device={device} />,
  }),
  column('rssi_dbm', devicesText.columns.signal, '84px', {
    align: 'end',
    cell: ({ links: [link] }) => <Level dbm={link?.rssi_dbm} />,
  }),
  wideColumn('tx_mbps', devicesText.columns.rate, '160px', {
    align: 'end',
    cell: ({ links: [link] }) => <Rates link={link} />,
  }),
  wideColumn('since', devicesText.columns.since, '72px', {
    align: 'end',
    cell: ({ links: [link] }) => <Since at={link?.since} />,
  }),
  wideColumn('last_seen', 'Last seen', '104px', {
    align: 'end',
    cell: ({ last_seen }) => <LastSeen at={last_seen} />,
  }),
];
