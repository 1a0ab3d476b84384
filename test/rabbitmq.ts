// A private RabbitMQ for the tests: own folder, own ports, own name server, loopback only, gone when stopped.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAMS = '/usr/lib/rabbitmq/bin';
const NAME_SERVER = '/usr/bin/epmd';
const START_ATTEMPTS = 600;

export interface TestRabbit {
  /** Of the user guest, who may do everything. */
  url: string;
  /** Of the script that starts it and waits for it. */
  pid(): number;
  /** Runs rabbitmqctl on this server. */
  control(...args: string[]): Promise<string>;
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
  if (findRabbit() === undefined) throw new Error(`No RabbitMQ in ${PROGRAMS}: install the package "rabbitmq-server"`);
  const folder = mkdtempSync(join(tmpdir(), 'weft-rabbit-'));
  const [port, distributionPort, nameServerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = serverEnvironment(folder, port, distributionPort, nameServerPort);
  writeFileSync(join(folder, 'rabbitmq.conf'), settingsText(port));
  writeFileSync(join(folder, 'plugins'), '[].');
  const log = join(folder, 'log');
  // Started here, it can be ended with the server; one that Erlang starts by itself stays for ever.
  const nameServer = spawn(NAME_SERVER, ['-port', String(nameServerPort), '-address', '127.0.0.1'], {
    stdio: 'ignore',
    env,
  });
  let child: ChildProcess | undefined;
  const server: TestRabbit = {
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    pid: () => child!.pid!,
    control: async (...args) => {
      const { stdout } = await run(join(PROGRAMS, 'rabbitmqctl'), ['-n', env.RABBITMQ_NODENAME!, ...args], { env });
      return stdout;
    },
    start: async () => {
      // A group of its own: the script that starts the server does not take it along when it is killed.
      child = spawn('/bin/sh', ['-c', 'exec "$0" >>"$1" 2>&1', join(PROGRAMS, 'rabbitmq-server'), log], {
        stdio: 'ignore',
        detached: true,
        env,
      });
      await untilListening(port, child, log);
    },
    pause: async () => {
      // The script hands the signal on, and the server closes its files.
      if (child) await end(child, 'SIGTERM');
    },
    crash: async () => {
      if (child) await endGroup(child);
    },
    stop: async () => {
      await server.pause();
      await end(nameServer, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

function serverEnvironment(
  folder: string,
  port: number,
  distributionPort: number,
  nameServerPort: number,
): Record<string, string | undefined> {
  return {
    ...process.env,
    HOME: folder,
    RABBITMQ_NODENAME: `weft-test-${port}@localhost`,
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

function settingsText(port: number): string {
  return `listeners.tcp.1 = 127.0.0.1:${port}
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

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}

/** Free a moment ago; nothing on the machine keeps it free. */
async function findFreePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The probe got no port');
  return address.port;
}
