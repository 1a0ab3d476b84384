// Who may import whom: the rules that keep the parts apart, as a table, and the search for what breaks them.
import { dirname, join, normalize } from 'node:path/posix';
import { type Import, orderBreaches, unorderedFolders } from './folder-order.ts';
import { ringBreaches } from './ring-rules.ts';
import type { SourceFile } from './size-rules.ts';

interface Rule {
  /** Ends the sentence "a.ts imports b.ts: ...". */
  because: string;
  /** The files the rule is about. */
  who: RegExp;
  /** What they must not import. */
  never?: RegExp;
  /** The only things they may import. */
  only?: RegExp[];
}

const test = /\.(test|contract)\.tsx?$/;
const backend = /\.(embedded|memory|sqlite|postgres|smtp|outbox|clickhouse|amqp)\.ts$/;
const builtIn = /^node:/;
const contract = /^(@weft\/contract(\/[a-z-]+)?$|contract\/src\/)/;
/** What holds code rather than schemas. */
const mechanisms = 'contract/src/core/functions/';

// Tests may import anything: they stand outside and look at everything.
const rules: Rule[] = [
  {
    because: 'the contract stands alone; its schemas are built by schema.ts, with the types of the schema library',
    who: /^contract\/src\/(?!core\/schema\/)/,
    only: [/^contract\/src\//],
  },
  {
    because: 'what everybody runs of the contract needs no schema library, so that browsers and the SDK stay small',
    who: new RegExp(`^${mechanisms}`),
    never: new RegExp(`^(?!${mechanisms})`),
  },
  {
    because: 'the broker stands alone, so that workers outside the controller can use it',
    who: /^broker\/src\//,
    only: [/^broker\/src\//, contract, builtIn, /^amqplib$/],
  },
  {
    because: 'the controller is no user of its own command line: only its bin/ stands beside that of cli/',
    who: /^controller\/src\/(?!bin\/)/,
    never: /^(@weft\/cli(\/|$)|cli\/)/,
  },
  {
    because: 'the broker is used by its package name, and nobody else knows how it is spoken to',
    who: /^controller\/src\//,
    never: /^(broker\/|amqplib$)/,
  },
  {
    because: 'the time-series store is a package of its own that knows nothing of Weft',
    who: /^timeseries\/src\//,
    only: [/^timeseries\/src\//, builtIn],
  },
  {
    because: 'the time-series store is used by its package name, and only by what stores telemetry or copies its files',
    // The start of the server gives back its memory at rest in the same way as the thread of the store.
    who: /^controller\/src\/(?!core\/telemetry\/store\/|operations\/backup\/|bin\/serve-command\.ts$)/,
    never: /^(@weft\/timeseries$|timeseries\/)/,
  },
  {
    because: 'the SDK runs in other people’s programs: it knows the wire and a WebSocket library, nothing of a server',
    who: /^sdk\/src\//,
    only: [/^sdk\/src\//, contract, builtIn, /^ws$/],
  },
  {
    because: 'this part of the SDK also runs in browsers: nothing of Node',
    who: /^sdk\/src\/(app\.ts$|browser\.ts$|for-programs\.ts$|operations\/(?!webhook)|lab\/|core\/(app\/|(http-client|missing-options|weft-refusal)\.ts$))/,
    only: [
      /^sdk\/src\/(app\.ts$|for-programs\.ts$|operations\/|lab\/|core\/(app\/|(http-client|missing-options|weft-refusal)\.ts$))/,
      contract,
    ],
  },
  {
    because: 'the command line of people and access points is one file that runs without a server',
    who: /^cli\/src\//,
    only: [/^cli\/(src\/|package\.json$)/, contract, builtIn, /^@weft\/sdk(\/testing)?$/],
  },
  {
    because: 'the emulator is an outsider: it knows the wire, the SDK and the broker, never the controller',
    who: /^emulator\/src\//,
    only: [/^emulator\/src\//, contract, builtIn, /^@weft\/(sdk|broker)$/],
  },
  {
    because: 'the models of the emulator are mathematics: they know no network, no clock and no files',
    who: /^emulator\/src\/(radio|world|traffic|multi-link|access-points)\//,
    never: /^(node:|@weft\/(?!contract\/(declared-(commands|settings)|emulated-model|exact-math)$))/,
  },
  {
    because:
      'an example has what any author has, the SDK; only its pictures are drawn with the tools of this repository',
    who: /^examples\/(?!trial\/model-trial\.ts$|load-balancer\/moves\.ts$)/,
    only: [/^examples\//, /^@weft\/sdk$/, builtIn, /^research\/plots\/svg-chart\.ts$/],
  },
  {
    because: 'trials without a server have the model of the emulator, and the positions of a spin-up',
    who: /^examples\/(trial\/model-trial|load-balancer\/moves)\.ts$/,
    only: [
      /^examples\//,
      builtIn,
      /^@weft\/(emulator|sdk)$/,
      /^controller\/src\/core\/networks\/emulated-positions\.ts$/,
    ],
  },
  {
    because: 'the dashboard runs in a browser: it knows the wire, the SDK for browsers and a few small libraries',
    who: /^dashboard\/src\//,
    only: [
      /^dashboard\/src\//,
      contract,
      /^@weft\/sdk\/browser$/,
      /^(preact|@preact\/signals|uplot|leaflet|topojson-client|world-atlas)(\/|$)/,
    ],
  },
  {
    because: 'routes and sockets talk to services and the network, through the HTTP layer, and to nothing else',
    who: /^controller\/src\/(?!core\/http\/).*-(routes|socket)\.ts$/,
    only: [
      contract,
      builtIn,
      /^controller\/src\/core\/base\/(caller|errors|rights\/[a-z]+|shares\/[a-z-]+)\.ts$/,
      /^controller\/src\/core\/(http\/|base\/input\/|network\/network\.ts$)/,
      /^controller\/src\/([a-z-]+\/)+[a-z-]+-service\.ts$/,
    ],
  },
  {
    because: 'the controller makes requests with outgoing/outgoing-http.ts, which holds the rules of trust',
    who: /^controller\/src\/(?!core\/(http|base\/input)\/|core\/base\/outgoing\/outgoing-http\.ts$)/,
    never: /^node:https?$/,
  },
  {
    because: 'a service knows nothing of HTTP, of routes or of a backend',
    who: /-service\.ts$/,
    never: /^(fastify|pg|node:sqlite|node:http)$|\/http\/|-(routes|socket)\.ts$/,
  },
  {
    because: 'only parts, offline.ts and backends.ts choose a backend',
    // A backend may be built of parts of its own kind.
    who: new RegExp(`^controller/src/(?!(offline|backends)\\.ts$|.*-part\\.ts$)(?!.*${backend.source})`),
    never: backend,
  },
  {
    because: 'serve.ts and the list of parts are the top; nothing but the command line stands on them',
    who: /^(contract\/|broker\/|timeseries\/|sdk\/|cli\/|emulator\/|controller\/src\/(?!bin\/|serve\.ts$))/,
    never: /^controller\/src\/(serve|parts|platform|pages|offline)\.ts$/,
  },
];

const namelessFolder = /(^|\/)(utils?|common|helpers?|lib)\//;
/** As in `socket._handle` and `{ _handle: handle }`. */
const privateField = /\._[a-z]|[{,]\s*_[a-z]\w*\??:/;
const shipped = /^(contract|broker|timeseries|sdk|cli|emulator|controller|dashboard)\/src\//;
const storeMaker = /^controller\/src\/((offline|backends|platform)\.ts$|.*-part\.ts$)/;
const newStore = /\bnew (?!\w*Telemetry)([A-Z]\w*Store|AuditLog|EventLog|OwnedJobs)\(/;
/** A look at a slow query, as long as it takes, is no periodic work. */
const ownTimer = /^controller\/src\/(?!core\/base\/storage\/postgres-pool\.ts$)/;
const environmentReader = /^((controller|cli)\/src\/bin\/weft\.ts$|cli\/src\/templates\/)/;

/** One line for each breach; empty when all is well. */
export function findBreaches(files: SourceFile[], known?: readonly string[]): string[] {
  const sources = files.filter(({ path }) => !test.test(path));
  const imports = sources.flatMap(importsOf);
  return [
    ...imports.flatMap(ruleBreaches),
    ...imports.flatMap(orderBreaches),
    ...ringBreaches(imports, known),
    ...unorderedFolders(sources),
    ...cycles(imports),
    ...files
      .flatMap(importsOf)
      .filter(({ to }) => to.startsWith('e2e/'))
      .map(({ from, to }) => `${from} imports ${to}: what other tests need is in test/`),
    ...files
      .filter(({ path }) => namelessFolder.test(path))
      .map(({ path }) => `${path}: a folder is named for what it is about`),
    ...sources
      .filter(
        ({ path, text }) =>
          /^(contract|broker|timeseries|sdk|cli|emulator|controller)\//.test(path) &&
          !environmentReader.test(path) &&
          text.includes('process.env'),
      )
      .map(({ path }) => `${path} reads the environment: only the command line does, through the configuration`),
    ...sources
      .filter(({ path, text }) => path.startsWith('controller/src/') && !storeMaker.test(path) && newStore.test(text))
      .map(({ path }) => `${path} creates a store: only parts and offline.ts do, everything else is given one`),
    ...sources
      .filter(({ path, text }) => shipped.test(path) && privateField.test(text))
      .map(({ path }) => `${path} uses a private field of Node or of a library: the next version may not have it`),
    ...sources
      .filter(({ path, text }) => ownTimer.test(path) && text.includes('setInterval('))
      .map(({ path }) => `${path} sets a timer of its own: periodic work is a PeriodicTask`),
  ];
}

function ruleBreaches({ from, to }: Import): string[] {
  return rules
    .filter(({ who, never, only }) => {
      if (!who.test(from)) return false;
      return (
        never?.test(to) || (only !== undefined && !isOwnFeature(from, to) && !only.some((allowed) => allowed.test(to)))
      );
    })
    .map(({ because }) => `${from} imports ${to}: ${because}`);
}

/** A feature's routes may use its own small parts, but not its stores. */
function isOwnFeature(from: string, to: string): boolean {
  const feature = /^controller\/src\/(core\/(base\/|accounts\/)?|operations\/|lab\/)[a-z-]+\//.exec(from)?.[0];
  return feature !== undefined && to.startsWith(feature) && !to.includes('-store');
}

function cycles(imports: Import[]): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) edges.set(from, [...(edges.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, way: string[]) => {
    const start = way.indexOf(file);
    if (start >= 0) found.push(`import cycle: ${[...way.slice(start), file].join(' -> ')}`);
    if (start >= 0 || done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...way, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}

function importsOf({ path, text }: SourceFile): Import[] {
  const specifiers = [...text.matchAll(/\bimport\(\s*'([^'\n]+)'/g)].map((match) => match[1]!);
  let isInside = false;
  for (const line of text.split('\n')) {
    isInside ||= /^(import|export)\b/.test(line);
    if (!isInside) continue;
    const specifier = /(?:\bfrom|^import) '([^'\n]+)'/.exec(line)?.[1];
    if (specifier !== undefined) specifiers.push(specifier);
    isInside = specifier === undefined && !line.endsWith(';') && !/^export (?!type \{|\{|\*)/.test(line);
  }
  return specifiers.map((specifier) => ({
    from: path,
    to: specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
  }));
}
