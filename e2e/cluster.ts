// Weft on several processes: controllers and workers on a PostgreSQL and a RabbitMQ of their own, behind a
// proxy that hands requests and sockets out in turn.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startPostgres, type TestPostgres } from '../test/postgres.ts';
import { startRabbit, type TestRabbit } from '../test/rabbitmq.ts';
import { findFreePort } from '../test/server-process.ts';
import { adminUsername, eventually, password, serve, temporaryFolder, type WeftServer } from './weft-process.ts';

export interface ClusterOptions {
  controllers?: number;
  workers?: number;
  env?: Record<string, string>;
  /** Where the controllers find RabbitMQ, if not directly. */
  amqpUrl?: (rabbit: TestRabbit) => string;
  /** What the proxy asks of each node. Default: /healthz. */
  healthPath?: string;
  /** Default: one server. */
  startRabbit?: () => Promise<TestRabbit>;
}

export class Cluster {
  readonly postgres: TestPostgres;
  readonly rabbit: TestRabbit;
  readonly env: Record<string, string>;
  controllers: WeftServer[] = [];
  workers: WeftServer[] = [];
  /** The proxy; everything a client does goes through it. */
  url = '';

  constructor(postgres: TestPostgres, rabbit: TestRabbit, env: Record<string, string>) {
    this.postgres = postgres;
    this.rabbit = rabbit;
    this.env = env;
  }

  startController(port: number): Promise<WeftServer> {
    return serve({ env: { ...this.env, WEFT_ROLES: 'api', WEFT_PORT: String(port) } });
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

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const servers = await Promise.all([startPostgres(), (options.startRabbit ?? startRabbit)()]);
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  }, 60_000);
  const [postgres, rabbit] = servers;
  const cluster = new Cluster(postgres, rabbit, {
    WEFT_DATABASE_URL: postgres.url,
    WEFT_TELEMETRY_URL: postgres.url,
    WEFT_AMQP_URL: options.amqpUrl?.(rabbit) ?? rabbit.url,
    WEFT_SECRET: randomBytes(48).toString('base64'),
    WEFT_ADMIN_USERNAME: adminUsername,
    WEFT_ADMIN_PASSWORD: password,
    ...options.env,
  });
  const ports = await Promise.all(Array.from({ length: options.controllers ?? 2 }, findFreePort));
  cluster.controllers = await Promise.all(ports.map((port) => cluster.startController(port)));
  if (ports.length > 0) cluster.url = await startProxy(ports, options.healthPath);
  cluster.workers = await Promise.all(Array.from({ length: options.workers ?? 2 }, () => cluster.startWorker()));
  return cluster;
}

/** HAProxy, which repeats on another node what never reached one. */
async function startProxy(ports: number[], healthPath = '/healthz'): Promise<string> {
  const port = await findFreePort();
  const folder = temporaryFolder();
  const file = join(folder, 'haproxy.cfg');
  const servers = ports.map((each, index) => `  server node${index} 127.0.0.1:${each} check inter 200ms fall 2 rise 1`);
  writeFileSync(
    file,
    `defaults
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
  option httpchk GET ${healthPath}
${servers.join('\n')}
`,
  );
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
