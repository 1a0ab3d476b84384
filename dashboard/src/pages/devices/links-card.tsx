// The links that a device has now, one row for each access point.
import type { DeviceDetails } from '../../api/operations.ts';
import { AgentName } from '../../components/agent-name.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { technologyOf } from '../../data/agent-configuration.ts';
import { formatValue } from '../../format/numbers.ts';
import { formatMoment } from '../../format/times.ts';
import { devicesText } from '../../text/devices.ts';
import { Level, rateWords, Since } from './device-values.tsx';

const text = devicesText.one;

export function LinksCard({ device: { links, last_seen } }: { device: DeviceDetails }) {
  const hasAddress = links.some(({ address }) => address !== undefined);
  return (
    <section class="card">
      <h2>{text.links}</h2>
      {links.length === 0 ? (
        <p class="soft">{text.noLinks(formatMoment(Date.parse(last_seen)))}</p>
      ) : (
        <div class="links-frame">
          <table class="links-table">
            <thead>
              <tr>
                <th scope="col">{devicesText.columns.agent}</th>
                <th scope="col">{text.signal}</th>
                <th scope="col" class="is-extra">
                  {text.snr}
                </th>
                <th scope="col" class="is-extra">
                  {text.down}
                </th>
                <th scope="col" class="is-extra">
                  {text.up}
                </th>
                <th scope="col">{devicesText.columns.since}</th>
                {hasAddress && <th scope="col">{text.address}</th>}
              </tr>
            </thead>
            <tbody>
              {links.map(({ ap_id, access_point_type, rssi_dbm, snr_db, rx_mbps, tx_mbps, since, address }) => (
                <tr key={ap_id}>
                  <td>
                    <a class="chip" href={`/agents/${encodeURIComponent(ap_id)}`}>
                      <Glyph technology={technologyOf({ access_point_type })} />
                      <AgentName ap_id={ap_id} />
                    </a>
                  </td>
                  <td>
                    <Level dbm={rssi_dbm} />
                  </td>
                  <td class="is-extra">{snr_db === null ? '–' : formatValue(snr_db, 'dB')}</td>
                  <td class="is-extra">{rateWords(tx_mbps)}</td>
                  <td class="is-extra">{rateWords(rx_mbps)}</td>
                  <td>
                    <Since at={since} />
                  </td>
                  {hasAddress && <td class="mono">{address ?? '–'}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
