// A private RabbitMQ for the tests: own folder, own ports, own name server, loopback only, gone when stopped.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { memoryFolder } from './memory-folder.ts';
import { afterOwnEnd, endProcess, findFreePort } from './server-process.ts';

const run = promisify(execFile);
const PROGRAMS = '/usr/lib/rabbitmq/bin';
const NAME_SERVER = '/usr/bin/epmd';
/** Speaks to a server of Erlang without starting another one, as rabbitmqctl does for a second of processor time. */
const CALLER = '/usr/bin/erl_call';
/** Each with a pause of 50 ms: four minutes, which a machine with a load of 40 may need. */
const START_ATTEMPTS = 4800;

export interface TestRabbit {
  /** Of the user guest, who may do everything. */
  url: string;
  /** Of the script that starts it and waits for it. */
  pid(): number;
  /** Runs rabbitmqctl on this server. */
  control(...args: string[]): Promise<string>;
  /** What commands of rabbitmqctl do there: an expression of Erlang. */
  evaluate(expression: string): Promise<void>;
  /** Stops the server; `start` brings it back on the same port with the same data. */
  pause(): Promise<void>;
  /** The same without a word to anybody. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server for good and removes its folder. */
  stop(): Promise<void>;
}

/** Where the programs of RabbitMQ are, or undefined. */
export function findRabbit(): string | undefined {
  return existsSync(join(PROGRAMS, 'rabbitmq-server')) ? PROGRAMS : undefined;
}

export async function startRabbit(): Promise<TestRabbit> {
  const { nodes, stop } = await startRabbitCluster(1);
  return { ...nodes[0]!, stop };
}

/** As many as tests of one run ask for; whoever comes later gets a server. */
const vhosts = Array.from({ length: 16 }, (_, n) => `test-${n + 1}`);

/** One with virtual hosts for tests that do nothing to the server itself: a folder names those that are free. */
export async function startSharedRabbit(): Promise<TestRabbit & { freeVhosts: string }> {
  const rabbit = await startRabbitCluster(1, vhosts);
  const freeVhosts = mkdtempSync(join(memoryFolder(), 'weft-vhosts-'));
  for (const name of vhosts) writeFileSync(join(freeVhosts, name), '');
  const stop = async () => {
    rmSync(freeVhosts, { recursive: true, force: true });
    await rabbit.stop();
  };
  return { ...rabbit.nodes[0]!, freeVhosts, stop };
}

/** A virtual host that nobody else has, on the server of the run; where there is none left, a server. */
export async function shareRabbit(): Promise<Pick<TestRabbit, 'url' | 'stop'>> {
  const folder = inject('freeVhosts');
  for (const name of folder === undefined ? [] : readdirSync(folder)) {
    try {
      // For one process only.
      unlinkSync(join(folder!, name));
      return { url: `${inject('amqpUrl')}/${name}`, stop: async () => {} };
    } catch {
      // Another one has it.
    }
  }
  return await startRabbit();
}

export interface TestRabbitCluster {
  /** Names all nodes. */
  url: string;
  nodes: RabbitNode[];
  /** Stops all nodes for good and removes their folders. */
  stop(): Promise<void>;
}

type RabbitNode = Omit<TestRabbit, 'stop'> & { name: string };

/** Nodes that find each other by their settings, with one name server. */
export async function startRabbitCluster(count: number, vhosts: readonly string[] = []): Promise<TestRabbitCluster> {
  if (findRabbit() === undefined) throw new Error(`No RabbitMQ in ${PROGRAMS}: install the package "rabbitmq-server"`);
  const home = mkdtempSync(join(memoryFolder(), 'weft-rabbit-'));
  const nameServerPort = await findFreePort();
  const ports: { port: number; distributionPort: number }[] = [];
  for (let n = 0; n < count; n++) ports.push({ port: await findFreePort(), distributionPort: await findFreePort() });
  // Started here, it can be ended with the servers; one that Erlang starts by itself stays for ever.
  const nameServer = spawn(NAME_SERVER, ['-port', String(nameServerPort), '-address', '127.0.0.1'], {
    stdio: 'ignore',
    env: { ...process.env, ERL_EPMD_ADDRESS: '127.0.0.1' },
  });
  const callOff = afterOwnEnd(
    'kill -KILL "$2"; for group in "$1"/node-*/group; do kill -KILL "-$(cat "$group")"; done; sleep 1; rm -rf "$1"',
    home,
    String(nameServer.pid),
  );
  const names = ports.map(({ port }) => nameOf(port));
  const nodes = ports.map(({ port, distributionPort }, index) => {
    const folder = join(home, `node-${index}`);
    mkdirSync(folder);
    const definitions = join(folder, 'definitions.json');
    if (vhosts.length > 0) writeFileSync(definitions, JSON.stringify(definitionsOf(['/', ...vhosts])));
    writeFileSync(
      join(folder, 'rabbitmq.conf'),
      `${settingsText(port, names)}${vhosts.length > 0 ? `load_definitions = ${definitions}\n` : ''}`,
    );
    writeFileSync(join(folder, 'plugins'), '[].');
    return createNode(folder, port, serverEnvironment(home, folder, port, distributionPort, nameServerPort));
  });
  const cluster: TestRabbitCluster = {
    url: `amqp://guest:guest@${ports.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    stop: async () => {
      await Promise.all(nodes.map((node) => (count === 1 ? node.pause() : node.crash())));
      await endProcess(nameServer, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
      callOff();
    },
  };
  try {
    // The first one makes the cookie that the others need.
    for (const node of nodes) await node.start();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

function createNode(folder: string, port: number, env: Record<string, string | undefined>): RabbitNode {
  const log = join(folder, 'log');
  /** Names what is to be killed if this process ends before it: the server's own file comes only seconds after its start. */
  const group = join(folder, 'group');
  let child: ChildProcess | undefined;
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    name: nameOf(port),
    pid: () => child!.pid!,
    control: async (...args) => {
      const { stdout } = await run(join(PROGRAMS, 'rabbitmqctl'), ['-n', nameOf(port), ...args], { env });
      return stdout;
    },
    evaluate: async (expression) => {
      if (!existsSync(CALLER)) {
        await run(join(PROGRAMS, 'rabbitmqctl'), ['-n', nameOf(port), 'eval', `${expression}.`], { env });
        return;
      }
      const calling = run(CALLER, ['-R', '-sname', nameOf(port), '-e'], { env });
      calling.child.stdin!.end(`${expression}.\n`);
      const { stdout } = await calling;
      if (!stdout.startsWith('{ok, ')) throw new Error(`RabbitMQ answered ${stdout} to ${expression}`);
    },
    start: async () => {
      // A group of its own: the script that starts the server does not take it along when it is killed.
      child = spawn('/bin/sh', ['-c', 'exec "$0" >>"$1" 2>&1', join(PROGRAMS, 'rabbitmq-server'), log], {
        stdio: 'ignore',
        detached: true,
        // What it writes when it breaks is not left in the repository.
        cwd: folder,
        env,
      });
      writeFileSync(group, String(child.pid));
      await untilListening(port, child, log);
    },
    pause: async () => {
      // The script hands the signal on, and the server closes its files.
      if (child) await endProcess(child, 'SIGTERM');
      rmSync(group, { force: true });
    },
    crash: async () => {
      if (child) await endGroup(child);
      rmSync(group, { force: true });
    },
  };
}

function nameOf(port: number): string {
  return `weft-test-${port}@localhost`;
}

function serverEnvironment(
  home: string,
  folder: string,
  port: number,
  distributionPort: number,
  nameServerPort: number,
): Record<string, string | undefined> {
  return {
    ...process.env,
    HOME: home,
    RABBITMQ_NODENAME: nameOf(port),
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'logs'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    // Threads that spin while they wait would take the processors from the tests.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+sbwt none +sbwtdcpu none +sbwtdio none',
    ERL_EPMD_PORT: String(nameServerPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
  };
}

function definitionsOf(names: string[]) {
  const all = { user: 'guest', configure: '.*', write: '.*', read: '.*' };
  return {
    users: [{ name: 'guest', password: 'guest', tags: 'administrator' }],
    vhosts: names.map((name) => ({ name })),
    permissions: names.map((vhost) => ({ ...all, vhost })),
  };
}

function settingsText(port: number, names: readonly string[]): string {
  const others = names.map((name, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${name}\n`);
  const cluster = `cluster_formation.peer_discovery_backend = classic_config
cluster_partition_handling = pause_minority
${others.join('')}`;
  return `${names.length > 1 ? cluster : ''}listeners.tcp.1 = 127.0.0.1:${port}
disk_free_limit.absolute = 10MB
raft.wal_max_size_bytes = 32000000
log.file.level = warning
log.console = false
`;
}

async function untilListening(port: number, child: ChildProcess, log: string): Promise<void> {
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    if (await canConnect(port)) return;
    if (child.exitCode !== null) break;
    await pause(50);
  }
  throw new Error(`RabbitMQ did not start:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.kill(-child.pid!, 'SIGKILL');
  await ended;
}
