// The links of a device: what ip and ss print, what is measured of it, and what a policy does.
import { expect, test } from 'vitest';
import { RecordedMachine } from '../../../../test/pure/recorded-machine.ts';
import type { Measured } from '../readers/reader.ts';
import { offerLinkPolicy } from './link-commands.ts';
import { LinkReader } from './link-reader.ts';
import { parseEndpoints, parseSubflows } from './mptcp-output.ts';

const endpoints = `10.9.1.2 id 1 subflow dev wlan4
10.9.2.2 id 2 subflow backup dev cell0
`;
const sockets = (received: number) => `ESTAB 0      0           10.9.1.2%wlan4:40122    10.9.1.1:5555
	 ts sack cubic wscale:7,7 rto:204 rtt:3.5/1.2 mss:1428 bytes_sent:80 bytes_acked:81 bytes_received:${received} tcp-ulp-mptcp flags:Mmec token:0000(id:0)/c1e4(id:0) seq:1 sfseq:1
ESTAB 0      0                10.9.2.2:45001    10.9.1.1:5555
	 ts sack cubic rtt:21.5/4 bytes_received:5000 tcp-ulp-mptcp flags:JjecBbv token:1b6e(id:2)/9e4b(id:0)
ESTAB 0      0                10.9.2.2:45002    10.9.1.1:22
	 ts sack cubic rtt:1/4 bytes_received:900
LISTEN 0     0                 0.0.0.0:22       0.0.0.0:*
	 cubic tcp-ulp-mptcp
`;
const toValues = (measured: Measured[]) => Object.fromEntries(measured.map(({ name, value }) => [name, value]));
const show = 'ip mptcp endpoint show';

test('endpoints and subflows are read', () => {
  expect(parseEndpoints(endpoints)).toEqual([
    { id: 1, address: '10.9.1.2', dev: 'wlan4', isBackup: false },
    { id: 2, address: '10.9.2.2', dev: 'cell0', isBackup: true },
  ]);
  expect(parseEndpoints('fd00::2 port 443 id 7 signal\n\n')).toEqual([
    { id: 7, address: 'fd00::2', dev: undefined, isBackup: false },
  ]);
  expect(parseSubflows(sockets(7)).map(({ localAddress, receivedBytes }) => [localAddress, receivedBytes])).toEqual([
    ['10.9.1.2', 7],
    ['10.9.2.2', 5000],
  ]);
  expect(parseSubflows(sockets(7).replace('10.9.1.2%wlan4', '[fd00::2]'))[0]!.localAddress).toBe('fd00::2');
});

test('each link has its rates', async () => {
  const machine = new RecordedMachine().tool(show, endpoints).tool('ss -Htin', sockets(1000));
  const reader = new LinkReader(machine);
  await reader.read(0);
  machine.tool('ss -Htin', sockets(251_000));
  expect(toValues(await reader.read(1000))).toEqual({
    subflows_wlan4: 1,
    subflow_rx_mbps_wlan4: 2,
    subflow_tx_mbps_wlan4: 0,
    subflow_rtt_ms_wlan4: 3.5,
    backup_wlan4: 0,
    subflows_cell0: 1,
    subflow_rx_mbps_cell0: 0,
    subflow_tx_mbps_cell0: 0,
    subflow_rtt_ms_cell0: 21.5,
    backup_cell0: 1,
  });
  expect(await reader.links()).toEqual([
    { link: 'wlan4', endpoint: 1 },
    { link: 'cell0', endpoint: 2 },
  ]);
  expect(await new LinkReader(new RecordedMachine()).read(0)).toEqual([]);
});

test('a policy says who stands by, and a link that is to be used is so before another rests', async () => {
  const machine = new RecordedMachine().tool(show, endpoints);
  const [offer] = await offerLinkPolicy(machine, new Set(['set_link_policy']));
  expect(offer!.declaration).toMatchObject({
    parameter: 'link_policy',
    params: { mode: { enum: ['active_standby', 'load_balancing'] }, primary: { enum: ['wlan4', 'cell0'] } },
  });
  const change = (id: number, flag: string) => `ip mptcp endpoint change id ${id} ${flag}`;
  const after = endpoints.replace('subflow backup', 'subflow').replace('1 subflow', '1 subflow backup');
  machine.tool(change(2, 'nobackup'), '');
  Object.defineProperty(machine, 'run', { value: changing(machine, change(1, 'backup'), () => after) });
  expect(await offer!.run({ mode: 'active_standby', primary: 'cell0' })).toEqual({
    applied: { mode: 'active_standby', primary: 'cell0' },
  });
  const changes = () => machine.ran.filter((line) => line.includes('change'));
  expect(changes()).toEqual([change(2, 'nobackup'), change(1, 'backup')]);
  // Already so.
  expect(await offer!.run({ mode: 'active_standby' })).toEqual({
    applied: { mode: 'active_standby', primary: 'cell0' },
  });
  expect(changes()).toHaveLength(2);
  machine.tool(change(1, 'nobackup'), '');
  await expect(offer!.run({ mode: 'load_balancing' })).rejects.toThrow('wlan4 did not change');
  await expect(offer!.run({ mode: 'redundant' })).rejects.toThrow('mode must be active_standby or load_balancing');
  await expect(offer!.run({ mode: 'active_standby', primary: 'eth9' })).rejects.toThrow('primary must be one of');
  await expect(offer!.run({ mode: 'load_balancing', primary: 'cell0' })).rejects.toThrow('has no primary');
  expect(await offerLinkPolicy(machine, new Set())).toEqual([]);
  expect(await offerLinkPolicy(new RecordedMachine(), new Set(['set_link_policy']))).toEqual([]);
});

/** The machine, with other endpoints after that command. */
function changing(machine: RecordedMachine, line: string, endpointsAfter: () => string): RecordedMachine['run'] {
  const { run } = machine;
  machine.tool(line, '');
  return async (command, args) => {
    const output = await run(command, args);
    if ([command, ...args].join(' ') === line) machine.tool(show, endpointsAfter());
    return output;
  };
}
