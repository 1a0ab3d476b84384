// Weft on several processes: controllers and workers on one PostgreSQL and one RabbitMQ, behind a proxy that hands requests
// and sockets out in turn.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { databaseKinds } from '../test/databases.ts';
import { startPostgres, type TestPostgres } from '../test/postgres.ts';
import { shareRabbit, startRabbit, type TestRabbit } from '../test/rabbitmq.ts';
import { findFreePort } from '../test/server-process.ts';
import { serve as serveHere, type WeftHere } from './weft-here.ts';
import { adminUsername, eventually, password, root, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

export interface ClusterOptions {
  /** Processes. */
  controllers?: number;
  /** Controllers in the process of the test, for what nobody kills: to start a process is most of the work of many tests. */
  here?: number;
  workers?: number;
  env?: Record<string, string>;
  /** Behind HAProxy with deploy/cluster/haproxy.cfg; default: one that hands requests out in turn and notices at once. */
  isDeployed?: boolean;
  /** Of the controllers. Default: api. */
  roles?: string;
  /** What one of the controllers has beside what all have. */
  envOf?: (index: number, env: Record<string, string>) => Record<string, string>;
}

export interface OwnClusterOptions<Postgres extends Server = TestPostgres> extends ClusterOptions {
  /** Where the controllers find RabbitMQ, if not directly. */
  amqpUrl?: (rabbit: TestRabbit) => string;
  /** Default: one server. */
  startRabbit?: () => Promise<TestRabbit>;
  /** Default: one server. */
  startPostgres?: () => Promise<Postgres>;
}

interface Server {
  url: string;
  stop(): Promise<void>;
}

export class Cluster<Postgres extends Server = Server, Rabbit extends Server = Server> {
  readonly postgres: Postgres;
  readonly rabbit: Rabbit;
  readonly env: Record<string, string>;
  controllers: WeftServer[] = [];
  here: WeftHere[] = [];
  workers: WeftServer[] = [];
  /** The proxy; everything a client does goes through it. */
  url = '';

  constructor(postgres: Postgres, rabbit: Rabbit, env: Record<string, string>) {
    this.postgres = postgres;
    this.rabbit = rabbit;
    this.env = env;
  }

  async startController(port: number, env: Record<string, string> = {}): Promise<WeftServer> {
    const weft = await serve({ env: { ...this.env, WEFT_ROLES: 'api', WEFT_PORT: String(port), ...env } });
    await weft.untilStarted();
    return weft;
  }

  /** In the process of the test. */
  async startHere(roles: string, env: Record<string, string> = {}): Promise<WeftHere> {
    const callback = roles === 'emulator' && { WEFT_CALLBACK_URL: this.url };
    return await serveHere({ env: { ...this.env, ...callback, WEFT_ROLES: roles, ...env } });
  }

  startWorker(): Promise<WeftServer> {
    return serve({ env: { ...this.env, WEFT_ROLES: 'worker' } });
  }

  startEmulator(): Promise<WeftServer> {
    return serve({ env: { ...this.env, WEFT_ROLES: 'emulator', WEFT_CALLBACK_URL: this.url } });
  }

  /** Ends it without a word, and starts another in its place. */
  async replaceWorker(index: number): Promise<void> {
    await this.workers[index]!.end('SIGKILL');
    this.workers[index] = await this.startWorker();
  }

  async replaceController(index: number): Promise<void> {
    const { port } = new URL(this.controllers[index]!.url);
    await this.controllers[index]!.end('SIGKILL');
    this.controllers[index] = await this.startController(Number(port));
  }
}

/** On the servers of the run, with a database and a virtual host of its own: to start both costs more than most tests. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return await assemble(await Promise.all([sharePostgres(), shareRabbit()]), options);
}

/** On servers of its own, which a test may stop and kill. */
export async function startOwnCluster(options?: OwnClusterOptions): Promise<Cluster<TestPostgres, TestRabbit>>;
export async function startOwnCluster<Postgres extends Server>(
  options: OwnClusterOptions<Postgres> & { startPostgres: () => Promise<Postgres> },
): Promise<Cluster<Postgres, TestRabbit>>;
export async function startOwnCluster(options: OwnClusterOptions<Server> = {}): Promise<Cluster<Server, TestRabbit>> {
  const starts = [(options.startPostgres ?? startPostgres)(), (options.startRabbit ?? startRabbit)()] as const;
  const servers = await Promise.all(starts);
  return await assemble(servers, options, options.amqpUrl?.(servers[1]));
}

async function sharePostgres(): Promise<Server> {
  const { address, remove } = await databaseKinds.postgres.createNamespace({ isBare: true });
  // With the limits that nodes have by themselves: what they do after them is tested here.
  return { url: address.replace(/\?.*/, ''), stop: remove };
}

/** On these servers, which end with it. */
export async function assemble<Postgres extends Server, Rabbit extends Server>(
  servers: [Postgres, Rabbit],
  options: ClusterOptions,
  amqpUrl = servers[1].url,
): Promise<Cluster<Postgres, Rabbit>> {
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  }, 60_000);
  const [postgres, rabbit] = servers;
  const cluster = new Cluster(postgres, rabbit, {
    WEFT_DATABASE_URL: postgres.url,
    WEFT_TELEMETRY_URL: postgres.url,
    WEFT_AMQP_URL: amqpUrl,
    WEFT_SECRET: randomBytes(48).toString('base64'),
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
    ...options.env,
  });
  const ports = await Promise.all(Array.from({ length: options.controllers ?? 2 }, findFreePort));
  const { roles = 'api', envOf } = options;
  cluster.controllers = await Promise.all(
    ports.map((port, index) => cluster.startController(port, { WEFT_ROLES: roles, ...envOf?.(index, cluster.env) })),
  );
  for (let n = 0; n < (options.here ?? 0); n++) cluster.here.push(await cluster.startHere(roles));
  ports.push(...cluster.here.map(({ url }) => Number(new URL(url).port)));
  if (ports.length > 0) cluster.url = await startProxy(ports, options.isDeployed ? deployedSettings : settingsInTurn);
  cluster.workers = await Promise.all(Array.from({ length: options.workers ?? 2 }, () => cluster.startWorker()));
  return cluster;
}

/** As deploy/cluster/haproxy.cfg says; only addresses are replaced. */
function deployedSettings(port: number, ports: number[]): string {
  const text = readFileSync(join(root, 'deploy/cluster/haproxy.cfg'), 'utf8').replace(
    'bind :8000',
    `bind 127.0.0.1:${port}`,
  );
  const first = /^ {2}server weft-1 .*\n/gm;
  if (text.match(first)?.length !== 2) throw new Error('the servers of haproxy.cfg were not found');
  const servers = ports.map((each, index) => `  server weft-${index + 1} 127.0.0.1:${each}\n`).join('');
  return text.replace(/^ {2}server weft-(?!1 ).*\n/gm, '').replace(first, servers);
}

/** Repeats on another node what never reached one. */
function settingsInTurn(port: number, ports: number[]): string {
  const servers = ports.map((each, index) => `  server node${index} 127.0.0.1:${each} check inter 200ms fall 2 rise 1`);
  return `defaults
  mode http
  timeout connect 1s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  retries 5
  option redispatch 1
  retry-on conn-failure empty-response
frontend weft
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /healthz
${servers.join('\n')}
`;
}

export const startDeployedProxy = (ports: number[]) => startProxy(ports, deployedSettings);

async function startProxy(ports: number[], settings: typeof settingsInTurn): Promise<string> {
  const port = await findFreePort();
  const file = join(temporaryFolder(), 'haproxy.cfg');
  writeFileSync(file, settings(port, ports));
  const child: ChildProcess = spawn('/usr/sbin/haproxy', ['-db', '-q', '-f', file], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    () =>
      fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  );
  return url;
}
