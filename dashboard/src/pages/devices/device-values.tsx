// The values of a device as lists show them: what kind, where, how well, since when.

import type { Device, DeviceLink } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { Icon } from '../../components/icon.tsx';
import { technologyOf } from '../../data/agent-configuration.ts';
import { agentName } from '../../data/agent-names.ts';
import { awaySince, now } from '../../data/freshness.ts';
import { formatValue } from '../../format/numbers.ts';
import { formatAge, formatMoment } from '../../format/times.ts';
import { devicesText } from '../../text/devices.ts';

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
        <span class="device-mark is-warning" title={devicesText.stickyShort}>
          <Icon name="warning" size={14} />
          <span class="visually-hidden">{devicesText.stickyShort}</span>
        </span>
      )}
      {watched_until && (
        <span class="device-mark faint" title={devicesText.watchedShort}>
          <Icon name="eye" size={14} />
          <span class="visually-hidden">{devicesText.watchedShort}</span>
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
    return (
      <span class="faint">{last_ap_id ? devicesText.lastAt(agentName(last_ap_id)) : devicesText.attachedNowhere}</span>
    );
  }
  return (
    <>
      <AgentName ap_id={link.ap_id} />
      {others.length > 0 && <span class="faint"> {devicesText.moreLinks(others.length)}</span>}
    </>
  );
}

export function Level({ dbm }: { dbm: number | null | undefined }) {
  return dbm === null || dbm === undefined ? none : <span>{formatValue(dbm, 'dBm')}</span>;
}

export function Rates({ link }: { link: Pick<DeviceLink, 'rx_mbps' | 'tx_mbps'> | undefined }) {
  if (!link || (link.rx_mbps === null && link.tx_mbps === null)) return none;
  return <span>{devicesText.rates(rateWords(link.tx_mbps), rateWords(link.rx_mbps))}</span>;
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
