// PostgreSQL as docs/operations.md advises it for several nodes: two servers under Patroni, of which the standby is synchronous,
// and an etcd that says who leads. Own folder, own ports, loopback only, gone when stopped.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { memoryFolder } from './memory-folder.ts';
import { findPostgres, urlOfAll } from './postgres.ts';
import { afterOwnEnd, endProcess, findFreePort } from './server-process.ts';

const programs = ['/usr/bin/patroni', '/usr/bin/etcd'];
/** A leader that says nothing for so long is none any more; as in the documents. */
const leaderSeconds = 20;
const startAttempts = 1_200;

export const hasPatroni = programs.every((path) => existsSync(path)) && findPostgres() !== undefined;
if (!hasPatroni) {
  const text =
    'No Patroni or no etcd found: ROUNDS OF FAULTS ON A CLUSTER ARE SKIPPED. (Debian: apt-get install patroni etcd-server)';
  process.stderr.write(`\n${'!'.repeat(100)}\n${text}\n${'!'.repeat(100)}\n\n`);
}

export interface PatroniMember {
  name: string;
  url: string;
  port: number;
}

export interface TestPatroni {
  /** Names both servers. */
  url: string;
  members: PatroniMember[];
  leader(): Promise<PatroniMember>;
  standby(): Promise<PatroniMember>;
  /** SIGKILL for Patroni and its PostgreSQL. */
  kill(member: PatroniMember): Promise<void>;
  /** After a kill, and until it follows or leads. */
  start(member: PatroniMember): Promise<void>;
  /** Without waiting for anything. */
  launch(member: PatroniMember): void;
  switchOver(): Promise<void>;
  /** Until one leads and each of its commits waits for the other. */
  untilSynchronous(): Promise<void>;
  stop(): Promise<void>;
}

interface Member extends PatroniMember {
  folder: string;
  api: string;
  child: ChildProcess | undefined;
}

interface Role {
  role: string;
  state: string;
}

/** The data of both servers is in `dataFolder`, if given. */
export async function startPatroni(dataFolder?: string): Promise<TestPatroni> {
  const home = mkdtempSync(join(memoryFolder(), 'weft-patroni-'));
  const isRoot = process.getuid?.() === 0;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const user = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const own = (folder: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isRoot) execFileSync('chown', ['postgres:', folder]);
    return folder;
  };
  chmodSync(home, 0o711);
  if (dataFolder !== undefined) chmodSync(dataFolder, 0o711);
  const callOff = afterOwnEnd(
    'kill -KILL $(cat "$1"/pids); for file in "$1"/data-*; do kill -KILL $(head -n 1 "$(cat "$file")"/postmaster.pid); done; sleep 1; rm -rf "$1"',
    home,
  );
  const run = (name: string, program: string, args: string[], folder: string) => {
    const log = openSync(join(folder, 'log'), 'a');
    const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: folder, ETCD_UNSUPPORTED_ARCH: process.arch };
    const child = spawn(program, args, { ...user, cwd: folder, env, stdio: ['ignore', log, log] });
    closeSync(log);
    writeFileSync(join(home, 'pids'), `${child.pid}\n`, { flag: 'a' });
    child.on('error', (error) => process.stderr.write(`${name}: ${error.message}\n`));
    return child;
  };

  const etcdFolder = own(join(home, 'etcd'));
  const [clientPort, peerPort] = [await findFreePort(), await findFreePort()];
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const etcd = run(
    'etcd',
    programs[1]!,
    [
      [
        '--name',
        'one',
        '--data-dir',
        join(etcdFolder, 'data'),
        '--unsafe-no-fsync',
        '--initial-cluster',
        `one=${peer}`,
      ],
      ['--listen-client-urls', client, '--advertise-client-urls', client],
      ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ].flat(),
    etcdFolder,
  );

  const members: Member[] = [];
  for (const name of ['alpha', 'beta']) {
    const folder = own(join(home, name));
    const data = join(own(join(dataFolder ?? folder, `${name}-data`)), 'pg');
    writeFileSync(join(home, `data-${name}`), data);
    const [port, apiPort] = [await findFreePort(), await findFreePort()];
    const text = JSON.stringify(configuration({ name, folder, data, port, apiPort, clientPort }), undefined, 2);
    // JSON is YAML.
    writeFileSync(join(folder, 'patroni.yml'), text, { mode: 0o644 });
    const url = `postgres://weft:weft@127.0.0.1:${port}/postgres`;
    members.push({ name, folder, port, url, api: `http://127.0.0.1:${apiPort}`, child: undefined });
  }
  const roleOf = async ({ api }: Member): Promise<Role | undefined> => {
    const answer = await fetch(`${api}/patroni`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    return (await answer?.json().catch(() => undefined)) as Role | undefined;
  };
  const until = async (what: string, isSo: () => Promise<boolean>) => {
    for (let attempt = 1; !(await isSo()); attempt++) {
      const logs = members.map(({ folder }) => join(folder, 'log')).filter((file) => existsSync(file));
      const said = () => logs.map((file) => readFileSync(file, 'utf8').slice(-3_000)).join('\n---\n');
      if (attempt === startAttempts) throw new Error(`${what}:\n${said()}`);
      await pause(100);
    }
  };
  const find = async (isIt: (role: Role | undefined) => boolean, what: string): Promise<Member> => {
    let found: Member | undefined;
    await until(`no ${what}`, async () => {
      for (const member of members) if (isIt(await roleOf(member))) found = member;
      return found !== undefined;
    });
    return found!;
  };
  const isLeading = (role: Role | undefined) =>
    ['master', 'primary'].includes(role?.role ?? '') && role?.state === 'running';
  const isFollowing = (role: Role | undefined) => role?.role === 'replica' && role.state === 'running';
  const pidOf = ({ name }: Member) => {
    const file = join(readFileSync(join(home, `data-${name}`), 'utf8'), 'postmaster.pid');
    return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
  };
  const memberOf = ({ name }: PatroniMember) => members.find((each) => each.name === name)!;

  const cluster: TestPatroni = {
    url: urlOfAll(...members),
    members,
    leader: () => find(isLeading, 'leader'),
    standby: () => find(isFollowing, 'standby'),
    kill: async (which) => {
      const member = memberOf(which);
      await endProcess(member.child!, 'SIGKILL');
      const pid = pidOf(member);
      if (pid === undefined) return;
      try {
        process.kill(pid, 'SIGKILL');
        // Nobody's child, it may stay in the list of processes for seconds after its end.
        while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')) await pause(20);
      } catch {
        // It has ended.
      }
    },
    launch: (which) => {
      const member = memberOf(which);
      member.child = run(member.name, programs[0]!, [join(member.folder, 'patroni.yml')], member.folder);
    },
    start: async (which) => {
      cluster.launch(which);
      await until(`${which.name} does not run`, async () => {
        const role = await roleOf(memberOf(which));
        return isLeading(role) || isFollowing(role);
      });
    },
    switchOver: async () => {
      const [leader, standby] = [await find(isLeading, 'leader'), await find(isFollowing, 'standby')];
      const body = JSON.stringify({ leader: leader.name, candidate: standby.name });
      const answer = await fetch(`${leader.api}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`no switchover: ${answer.status} ${await answer.text()}`);
    },
    untilSynchronous: () =>
      until('no synchronous standby', async () => {
        const answers = members.map(({ api }) => fetch(`${api}/sync`, { signal: AbortSignal.timeout(5_000) }));
        const statuses = await Promise.all(
          answers.map((each) =>
            each.then(
              ({ status }) => status,
              () => 0,
            ),
          ),
        );
        return statuses.includes(200);
      }),
    stop: async () => {
      for (const member of members) if (member.child) await cluster.kill(member);
      await endProcess(etcd, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
      callOff();
    },
  };
  try {
    cluster.launch(members[0]!);
    await cluster.leader();
    cluster.launch(members[1]!);
    await cluster.standby();
    await cluster.untilSynchronous();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

interface Place {
  name: string;
  folder: string;
  data: string;
  port: number;
  apiPort: number;
  clientPort: number;
}

function configuration({ name, folder, data, port, apiPort, clientPort }: Place) {
  return {
    scope: 'weft',
    name,
    restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
    etcd3: { host: `127.0.0.1:${clientPort}` },
    bootstrap: {
      dcs: {
        ttl: leaderSeconds,
        loop_wait: 3,
        retry_timeout: 5,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 200,
            max_wal_size: '128MB',
            wal_keep_size: '64MB',
            wal_log_hints: true,
            jit: false,
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { auth: 'trust' }],
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: findPostgres(),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'weft', password: 'weft' },
        replication: { username: 'replicator', password: 'replicator' },
        rewind: { username: 'weft', password: 'weft' },
      },
      // No test cuts the power, and flushing is most of what they would wait for.
      parameters: { unix_socket_directories: folder, fsync: false },
    },
  };
}
