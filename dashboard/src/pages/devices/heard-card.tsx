// The access points around a device, as it hears them.
import type { DeviceDetails } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { agentName } from '../../data/agent-names.ts';
import { devicesText } from '../../text/devices.ts';
import { Level } from './device-values.tsx';

const text = devicesText.heard;
/** From hardly anything to as near as can be. */
const scale = { weakest: -100, strongest: -30 };

export function HeardCard({ heard }: Pick<DeviceDetails, 'heard'>) {
  return (
    <section class="card">
      <h2>{text.title}</h2>
      {heard.length === 0 && <p class="soft">{text.none}</p>}
      <ul class="heard-list">
        {heard.map(({ ap_id, bssid, rssi_dbm, by }) => (
          <li key={`${ap_id ?? bssid} ${by}`} title={text.by(agentName(by))}>
            {ap_id === undefined ? (
              <span>
                <span class="mono">{bssid}</span> <span class="faint small">{text.unknownRadio}</span>
              </span>
            ) : (
              <a href={`/agents/${encodeURIComponent(ap_id)}`}>
                <AgentName ap_id={ap_id} />
              </a>
            )}
            <span class="heard-level" aria-hidden="true">
              <i style={{ width: `${100 * shareOf(rssi_dbm)}%` }} />
            </span>
            <span class="heard-value">
              <Level dbm={rssi_dbm} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function shareOf(dbm: number | null): number {
  if (dbm === null) return 0;
  return Math.max(0.02, Math.min(1, (dbm - scale.weakest) / (scale.strongest - scale.weakest)));
}
