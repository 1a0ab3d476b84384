// One device beside the map: which access points serve it, which it hears, and the way to its page.
import '../devices/devices-page.css';
import { looksLikeAddress } from '@weft/contract/device-address';
import { useMemo } from 'preact/hooks';
import type { DeviceDetails, Failure } from '../../../api/client.ts';
import { AgentName } from '../../../components/agent-name.tsx';
import { ButtonLink, IconButton } from '../../../components/button.tsx';
import { FailureNotice, SkeletonLines } from '../../../components/feedback.tsx';
import { Glyph } from '../../../components/glyph.tsx';
import type { FleetAgent } from '../../../data/fleet.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { type DrawnDevice, toDrawnDevice } from '../../../map/draw-device.ts';
import { useQueryState } from '../../../router/location.ts';
import { devicesText } from '../../../text/pages.ts';
import { deviceHref, Level } from '../devices/device-values.tsx';

export interface ChosenDevice {
  /** Empty: none is chosen. */
  name: string;
  details: DeviceDetails | undefined;
  drawn: DrawnDevice | undefined;
  failure: Failure | undefined;
  close: () => void;
}

export function useDrawnDevice(): ChosenDevice {
  const [written, setWritten] = useQueryState('device');
  // An address is neither sent nor shown.
  const name = looksLikeAddress(written) ? '' : written;
  const { data, failure } = useOperation(
    'get_device',
    { path: { device: name } },
    { pollMs: 2000, isWanted: name !== '' },
  );
  const details = name === '' || failure?.status === 404 ? undefined : data;
  const drawn = useMemo(() => details && toDrawnDevice(details), [details]);
  return { name, details, drawn, failure, close: () => setWritten('') };
}

interface DevicePanelProps {
  device: ChosenDevice;
  agents: readonly FleetAgent[];
}

export function DevicePanel({ device: { name, details, failure, close }, agents }: DevicePanelProps) {
  const isGone = failure?.status === 404;
  return (
    <section class="agent-panel" aria-label={name}>
      <header class="spread">
        <h2 class="mono">{name}</h2>
        <div class="cluster">
          <IconButton icon="close" label="Back to the list" onClick={close} />
        </div>
      </header>
      {isGone && <p class="soft">This device is not known any more.</p>}
      {failure && !isGone && <FailureNotice failure={failure} />}
      {!details && !failure && <SkeletonLines count={6} />}
      {details && <PanelBody details={details} agents={agents} />}
    </section>
  );
}

function PanelBody({ details, agents }: { details: DeviceDetails; agents: readonly FleetAgent[] }) {
  const { device, links, heard } = details;
  const known = new Map(agents.map((agent) => [agent.ap_id, agent]));
  const others = heard.filter(({ ap_id }) => ap_id !== undefined && !links.some((link) => link.ap_id === ap_id));
  const isPlaced = [...links, ...heard].some(({ ap_id }) => known.get(ap_id ?? '')?.geolocation);
  const row = (ap_id: string, rssi_dbm: number | null, by = '') => (
    <>
      <dt key={`${ap_id} ${by}`}>
        <a class="chip" href={`/agents/${encodeURIComponent(ap_id)}`}>
          <Glyph technology={known.get(ap_id)?.technology} state={known.get(ap_id)?.state ?? 'never'} />
          <AgentName ap_id={ap_id} />
        </a>
      </dt>
      <dd>
        <Level dbm={rssi_dbm} />
      </dd>
    </>
  );
  return (
    <>
      <ButtonLink kind="primary" href={deviceHref(device)} words="Open the device" />
      <h3>Attached to</h3>
      {links.length === 0 && <p class="soft">{devicesText.attachedNowhere}</p>}
      <dl class="facts values">{links.map(({ ap_id, rssi_dbm }) => row(ap_id, rssi_dbm))}</dl>
      {others.length > 0 && (
        <>
          <h3>Hears</h3>
          <dl class="facts values">{others.map(({ ap_id, rssi_dbm, by }) => row(ap_id!, rssi_dbm, by))}</dl>
        </>
      )}
      <p class="faint small">
        {isPlaced
          ? 'Weft does not know where devices are. It is drawn among the access points that serve it and that it hears, nearer to the stronger ones.'
          : 'None of the access points that serve it or that it hears has a location.'}
      </p>
    </>
  );
}
