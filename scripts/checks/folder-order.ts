// The order of folders, for every folder of every package: a file imports only from folders on earlier lines.
import type { SourceFile } from './size-rules.ts';

export interface Import {
  from: string;
  /** The path of a file of ours, or the name of a package. */
  to: string;
}

/**
 * Folders on one line do not import one another, except those that `|` joins: these are one whole, divided for reading. Files beside
 * the folders put them together, or are for all of them. A folder inside a folder belongs to it.
 */
const order: Record<string, string[][]> = {
  'contract/src': [['core|operations|lab']],
  'contract/src/core': [['functions', 'schema'], ['emulator']],
  'timeseries/src': [['blocks'], ['heads'], ['read'], ['write']],
  'sdk/src': [['core|operations|lab']],
  'sdk/src/core': [['app', 'spool']],
  'cli/src': [['access-point', 'history', 'templates'], ['commands'], ['bin']],
  'cli/src/access-point': [
    ['machine', 'enrolment'],
    ['hostapd'],
    ['readers'],
    ['commands'],
    ['link', 'service', 'settings'],
  ],
  'emulator/src': [['radio'], ['world|traffic|multi-link|access-points'], ['what-if'], ['coverage'], ['runs'], ['env']],
  'controller/src': [['core|operations|lab'], ['bin']], // Between the rings stands a wall (ring-rules.ts).
  'controller/src/core': [
    ['base'],
    ['network'],
    ['http'],
    ['accounts'],
    ['telemetry'],
    ['retention'],
    ['devices'],
    ['jobs'],
    ['commands'],
    ['networks'],
    ['fleet'],
  ],
  'controller/src/core/base': [
    ['storage', 'input', 'outgoing'],
    ['rights', 'lists', 'settings'],
    ['shares', 'mail'],
  ],
  'controller/src/core/accounts': [
    ['audit'],
    ['event-log'],
    ['users', 'sites', 'agents', 'third-party-apps'],
    ['auth'],
  ],
  'controller/src/operations': [
    ['backup', 'devices', 'records', 'steering'],
    ['timeline', 'energy'],
    ['alarms'],
    ['health', 'desired', 'notifications'],
    ['incidents'],
    ['moving'],
  ],
  'controller/src/lab': [['radio-map', 'what-if']],
  'controller/src/core/http': [['direct', 'streams'], ['request'], ['sockets', 'pages'], ['server']],
  'controller/src/core/telemetry': [['store'], ['presence'], ['query'], ['live'], ['ingest']],
  'controller/src/core/telemetry/store': [['postgres', 'clickhouse']],
  'controller/src/core/devices': [['privacy'], ['store'], ['registry']],
  'controller/src/core/jobs': [['store'], ['mailbox'], ['publish'], ['api', 'worker']],
  'controller/src/core/commands': [
    ['grammar'],
    ['arbitration'],
    ['ledger', 'replay'],
    ['delivery'],
    ['api'],
    ['upkeep'],
  ],
  'controller/src/core/commands/delivery': [['channel', 'push', 'poll']],
  'controller/src/core/fleet': [['list'], ['bulk']],
  'controller/src/operations/desired': [['model'], ['store'], ['delivery', 'rollout'], ['api']],
  'controller/src/operations/alarms': [['engine'], ['rules'], ['store'], ['silences'], ['watch'], ['api']],
  'controller/src/operations/incidents': [['grouping'], ['diagnosis']],
  'controller/src/operations/notifications': [['webhooks', 'mail']],
  'dashboard/src': [['router'], ['text|api|data|session|components|styles'], ['map'], ['shell'], ['pages']],
  'dashboard/src/data': [['lists']],
  'dashboard/src/components': [['chart', 'forms'], ['tables']],
  'dashboard/src/pages': [['lab|operations']],
  'dashboard/src/pages/lab': [['what-if'], ['emulator']],
  'dashboard/src/pages/operations': [
    [
      'alarms',
      'apps',
      'commands',
      'compare',
      'configuration',
      'events',
      'energy',
      'jobs',
      'notifications',
      'session',
      'settings',
      'users',
    ],
    ['conflicts'],
    ['audit', 'agents|devices|incidents|map|overview|sites|wall'],
  ],
  'dashboard/src/pages/operations/agents': [['list']],
};

const lines = new Map(
  Object.entries(order).map(([parent, list]) => {
    const places = list.flatMap((line, rank) =>
      line.flatMap((whole) => whole.split('|').map((folder) => [folder, { rank, whole }] as const)),
    );
    return [parent, new Map(places)];
  }),
);

/** One sentence for each folder of this import that is not before the one of the file. */
export function orderBreaches({ from, to }: Import): string[] {
  return [...lines].flatMap(([parent, places]) => {
    if (!from.startsWith(`${parent}/`) || !to.startsWith(`${parent}/`)) return [];
    const [mine, theirs] = [from, to].map((path) => path.slice(parent.length + 1).split('/')[0]!);
    const [my, their] = [places.get(mine!), places.get(theirs!)];
    if (mine === theirs || !my || !their || their.rank < my.rank || their.whole === my.whole) return [];
    return [`${from} imports ${to}: ${theirs} does not come before ${mine} in the order of folders`];
  });
}

export function unorderedFolders(sources: SourceFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of sources) {
    const parts = path.split('/');
    if (parts[1] !== 'src') continue;
    for (let depth = 3; depth < parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  return [...folders]
    .filter(
      (folder) => !lines.get(folder.slice(0, folder.lastIndexOf('/')))?.has(folder.slice(folder.lastIndexOf('/') + 1)),
    )
    .map((folder) => `${folder} has no place in the order of folders (scripts/checks/folder-order.ts)`);
}
