// The devices of an access point, on its page. One that never says which devices it serves has unknown ones, not none.
import type { AgentDevice, AgentDevices, Device } from '../../../api/client.ts';
import { Loading } from '../../../components/feedback.tsx';
import { PlainTable } from '../../../components/page.tsx';
import { selectorOf } from '../../../data/agents.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { formatMoment, formatNumber } from '../../../format.ts';
import { devicesText } from '../../../text/pages.ts';
import { useSeen } from '../configuration/agent-config-card.tsx';
import { DeviceName, deviceHref, Level, Rates, Since } from './device-values.tsx';
import './devices-page.css';
import './agent-devices-card.css';

const title = 'Devices';

const limit = 200;

export function AgentDevicesCard({ ap_id }: { ap_id: string }) {
  const [isSeen, seen] = useSeen();
  const { data, failure } = useOperation(
    'list_agent_devices',
    { path: { ap_id }, query: { limit } },
    { isWanted: isSeen, pollMs: ({ items }) => Math.max(3000, items.length * 30) },
  );
  const isKnown = data !== undefined && data.reported_at !== null;
  const all = `/devices?${new URLSearchParams({ selector: selectorOf([ap_id]) })}`;
  return (
    <section class="card agent-devices" aria-label={title} ref={seen}>
      <div class="spread">
        <h2>{title}</h2>
        {isKnown && data.items.length > 0 && (
          <span class="cluster">
            <span class="faint small">{`${countWords(data)} attached`}</span>
            <a class="small" href={all}>
              All in the list
            </a>
          </span>
        )}
      </div>
      {isSeen && <Loading data={data} failure={failure} lines={2} />}
      {data && !isKnown && (
        <p class="soft">
          <strong>Unknown.</strong> This access point has not reported which devices it serves.
        </p>
      )}
      {isKnown && data.items.length === 0 && (
        <p class="soft">No devices are attached. {`As reported at ${formatMoment(data.reported_at!)}.`}</p>
      )}
      {isKnown && data.items.length > 0 && <DeviceRows ap_id={ap_id} devices={data.items.filter(hasName)} />}
    </section>
  );
}

/** Only agents read devices without their names. */
function hasName(device: AgentDevice): device is Device {
  return device.device !== undefined;
}

function DeviceRows({ ap_id, devices }: { ap_id: string; devices: readonly Device[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="agent-devices-frame" tabIndex={0} role="group" aria-label={title}>
      <PlainTable
        look=""
        titles={[
          devicesText.columns.device,
          devicesText.columns.signal,
          [devicesText.columns.rate, 'is-extra'],
          devicesText.columns.since,
        ]}
        rows={devices.map((device) => {
          const link = device.links.find((each) => each.ap_id === ap_id);
          return [
            <a key="name" href={deviceHref(device.device)}>
              <DeviceName device={device} />
            </a>,
            <Level key="signal" dbm={link?.rssi_dbm} />,
            <Rates key="rate" link={link} />,
            <Since key="since" at={link?.since} />,
          ];
        })}
      />
    </div>
  );
}

function countWords({ items, next }: AgentDevices): string {
  return `${formatNumber(items.length)}${next === null ? '' : '+'}`;
}
