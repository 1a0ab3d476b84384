// `weft agent run` as a process of its own, on an access point of access-point-air.ts. Its folder has the file of hostapd, the socket and the state.
//   node access-point-process.ts FOLDER URL AP_ID TOKEN
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runAccessPointAgent } from '../cli/src/access-point/access-point-agent.ts';
import { parseAllowance } from '../cli/src/access-point/commands/allowance.ts';
import { askAir } from './access-point-air.ts';

const [, , folder = '', url = '', ap_id = '', enrolmentToken] = process.argv;
const sys = join(folder, 'sys');
mkdirSync(join(sys, 'class/net/wlan0/phy80211'), { recursive: true });
await runAccessPointAgent({
  settings: {
    url,
    ap_id,
    enrolmentToken,
    stateDir: join(folder, 'state'),
    intervalSeconds: 3600,
    configuration: {},
    commandsDir: folder,
    isLink: false,
    allowance: parseAllowance([`set_channel,settings:${join(folder, 'hostapd.conf')}`]),
    trustedCertificate: undefined,
  },
  machine: {
    proc: '/proc',
    sys,
    run: (command, args) => askAir(join(folder, 'air'), { run: [command, ...args].join(' ') }),
    follow: (_command, _args, _onLine, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  },
  say: (text) => process.stderr.write(`${text}\n`),
  signal: new AbortController().signal,
});
