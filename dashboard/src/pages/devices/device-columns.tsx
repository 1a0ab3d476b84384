// The columns of the list of devices. The server sorts by their names.
import type { Device } from '../../api/operations.ts';
import type { Column } from '../../components/tables/table.tsx';
import { devicesText } from '../../text/devices.ts';
import { LastSeen } from '../agents/last-seen.tsx';
import { DeviceName, Level, Rates, ServingAgent, Since, Technologies } from './device-values.tsx';

const text = devicesText.columns;

export const deviceColumns: Column<Device>[] = [
  {
    name: 'device',
    title: text.device,
    sort: true,
    width: 'minmax(190px, 1.2fr)',
    cell: (device, isShown) => <DeviceName device={device} hasTypes={!isShown('technology')} />,
  },
  {
    name: 'technology',
    title: text.technology,
    sort: true,
    width: 'minmax(76px, 0.5fr)',
    cell: ({ technologies }) => <Technologies technologies={technologies} />,
    isWideOnly: true,
  },
  {
    name: 'ap_id',
    title: text.agent,
    sort: true,
    width: 'minmax(130px, 1.4fr)',
    cell: (device) => <ServingAgent device={device} />,
    isWideOnly: true,
  },
  {
    name: 'rssi_dbm',
    title: text.signal,
    sort: true,
    width: '84px',
    align: 'end',
    cell: ({ links: [link] }) => <Level dbm={link?.rssi_dbm} />,
  },
  {
    name: 'tx_mbps',
    title: text.rate,
    sort: true,
    width: '160px',
    align: 'end',
    cell: ({ links: [link] }) => <Rates link={link} />,
    isWideOnly: true,
  },
  {
    name: 'since',
    title: text.since,
    sort: true,
    width: '72px',
    align: 'end',
    cell: ({ links: [link] }) => <Since at={link?.since} />,
    isWideOnly: true,
  },
  {
    name: 'last_seen',
    title: text.lastSeen,
    sort: true,
    width: '104px',
    align: 'end',
    cell: ({ last_seen }) => <LastSeen at={last_seen} />,
    isWideOnly: true,
  },
];
