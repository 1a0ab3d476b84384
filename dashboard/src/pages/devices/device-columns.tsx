// The columns of the list of devices.
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
    width: 'minmax(190px, 1.2fr)',
    cell: (device, isShown) => <DeviceName device={device} hasTypes={!isShown('technology')} />,
  },
  {
    name: 'technology',
    title: text.technology,
    width: 'minmax(76px, 0.5fr)',
    cell: ({ technologies }) => <Technologies technologies={technologies} />,
    isWideOnly: true,
  },
  {
    name: 'agent',
    title: text.agent,
    width: 'minmax(130px, 1.4fr)',
    cell: (device) => <ServingAgent device={device} />,
    isWideOnly: true,
  },
  {
    name: 'signal',
    title: text.signal,
    width: '84px',
    align: 'end',
    cell: ({ links: [link] }) => <Level dbm={link?.rssi_dbm} />,
  },
  {
    name: 'rate',
    title: text.rate,
    width: '160px',
    align: 'end',
    cell: ({ links: [link] }) => <Rates link={link} />,
    isWideOnly: true,
  },
  {
    name: 'since',
    title: text.since,
    width: '72px',
    align: 'end',
    cell: ({ links: [link] }) => <Since at={link?.since} />,
    isWideOnly: true,
  },
  {
    name: 'last_seen',
    title: text.lastSeen,
    width: '104px',
    align: 'end',
    cell: ({ last_seen }) => <LastSeen at={last_seen} />,
    isWideOnly: true,
  },
];
