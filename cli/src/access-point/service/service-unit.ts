// The systemd unit of the agent: a dynamic account with almost no privileges. Commands that
// need more privileges get exactly those.
import { dirname } from 'node:path';
import type { AllowableCommand, Allowance } from '../commands/allowance.ts';

export interface UnitOptions {
  nodePath: string;
  programPath: string;
  environmentPath: string;
  allowance: Allowance;
  /** Differs between machines, so that a fleet does not reconnect all at once. */
  restartSeconds: number;
}

/** Capabilities beyond an ordinary account. */
const capabilities: Record<AllowableCommand, string> = {
  set_tx_power: 'CAP_NET_ADMIN',
  set_channel: 'CAP_NET_ADMIN',
  steer_device: '',
  sleep: '',
  wake: '',
  set_link_policy: 'CAP_NET_ADMIN',
  restart_wifi: 'CAP_SYS_ADMIN',
  reboot: 'CAP_SYS_BOOT',
};
/** hostapd and systemd accept only root. */
const needRoot: AllowableCommand[] = ['set_channel', 'steer_device', 'sleep', 'wake', 'restart_wifi', 'reboot'];

export function toUnit(options: UnitOptions): string {
  const { nodePath, programPath, environmentPath, allowance, restartSeconds } = options;
  const folders = [...new Set([...allowance.hostapdFiles].map((file) => dirname(file)))];
  const settable = folders.length > 0 ? ['CAP_NET_ADMIN'] : [];
  const needed = [...new Set([...[...allowance.commands].map((name) => capabilities[name]), ...settable])];
  const capable = needed.sort().join(' ').trim();
  const isRoot = folders.length > 0 || needRoot.some((name) => allowance.commands.has(name));
  return `[Unit]
Description=Weft agent: speaks for this access point
Wants=network-online.target
After=network-online.target
# Weft may be away for long; giving up would need somebody to come here.
StartLimitIntervalSec=0

[Service]
ExecStart=${quoted(nodePath)} ${quoted(programPath)} agent run
EnvironmentFile=${environmentPath}
${isRoot ? 'User=root' : 'DynamicUser=yes'}
StateDirectory=weft-agent
StateDirectoryMode=0700
RuntimeDirectory=weft-agent
Restart=always
RestartSec=${restartSeconds}
# Exit code 2: fix the settings before restarting.
RestartPreventExitStatus=2
TimeoutStopSec=20
UMask=0077
CapabilityBoundingSet=${capable}
AmbientCapabilities=${isRoot ? '' : capable}
NoNewPrivileges=yes
ProtectSystem=strict
${folders.map((folder) => `ReadWritePaths=${quoted(folder)}\n`).join('')}ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
MemoryMax=256M
TasksMax=64

[Install]
WantedBy=multi-user.target
`;
}

/** Spaces separate words, and percent signs begin a specifier. */
function quoted(path: string): string {
  const text = path.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\]/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text;
}
