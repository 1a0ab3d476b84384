// A release, made twice from fresh clones, and used as by people who have nothing but its files: the image, the Debian package in
// a system of its own, the packages for Node and Python in empty projects.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { otherNode } from './other-node.ts';
import { adminUsername, eventually, password, root } from './weft-process.ts';

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const isPossible = process.getuid?.() === 0 && ['buildah', 'podman', 'runc', 'mmdebstrap', 'lintian'].every(has);
if (!isPossible)
  process.stderr.write(
    '\n*** buildah, podman, runc, mmdebstrap, lintian or root is missing: RELEASES ARE NOT TESTED.\n\n',
  );

const base = 'localhost/weft-test-base';
const [version, architecture] = [
  JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')).version,
  process.arch,
];
let work: string;
/** What is given to others. */
let folder: string;
let commit: string;
const file = (name: string) => join(folder, name);
const debian = `weft_${version}_${architecture === 'x64' ? 'amd64' : architecture}.deb`;

/** Standard output of a shell that must end well. */
function sh(script: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', script], {
    cwd: work,
    encoding: 'utf8',
    env: { ...process.env, ...env, BUILDAH_ISOLATION: 'chroot' },
    maxBuffer: 2 ** 26,
  });
  expect([script, status, status === 0 ? '' : stdout + stderr]).toEqual([script, 0, '']);
  return stdout;
}

/** A clone of this commit in a folder of its own, and what its release has. */
function releaseFrom(from: string, clone: string, args: string): string {
  const target = join(work, `${clone}-files`);
  sh(
    `rm -rf ${clone} && git clone -q ${from} ${clone} && cd ${clone} && npm run --silent release -- --base ${base} --to ${target} ${args}`,
  );
  return target;
}

beforeAll(() => {
  if (!isPossible) return;
  work = mkdtempSync(join(tmpdir(), 'weft-release-'));
  // No image can be had: a base with libc, libstdc++ and certificates stands in for that of the Dockerfile.
  sh(`mkdir base debs; (cd debs; apt-get download -q base-files libc6 libgcc-s1 libstdc++6 ca-certificates)
    mkdir -p base/var/lib/dpkg base/etc/ssl/certs
    for deb in debs/*.deb; do dpkg-deb -x $deb base; { dpkg-deb --field $deb; echo; } >> base/var/lib/dpkg/status; done
    cat base/usr/share/ca-certificates/mozilla/*.crt > base/etc/ssl/certs/ca-certificates.crt
    c=$(buildah from scratch); buildah add -q $c base /; buildah commit -q $c ${base}; buildah rm $c`);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(work, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(work, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  folder = releaseFrom(root, 'one', `--key ${join(work, 'key.pem')}`);
  commit = sh('git -C one rev-parse HEAD').trim();
}, 900_000);

afterAll(() => {
  if (!isPossible) return;
  spawnSync('buildah', ['rmi', '--force', base, `localhost/weft:${version}`]);
  rmSync(work, { recursive: true, force: true });
});

describe.skipIf(!isPossible)('a release', () => {
  test('has everything, with lists of parts, checksums and a signature', () => {
    const names = [
      debian,
      `weft-image-${version}-${architecture}.tar.gz`,
      `weft-sdk-${version}.tgz`,
      `weft-${version}.tgz`,
    ];
    names.push(`weft-emulator-${version}.tgz`, `weft_gym-${version}-py3-none-any.whl`, 'weft.mjs', 'weft-agent.sh');
    expect(readdirSync(folder).sort()).toEqual(
      [...names, ...names.map((name) => `${name}.cdx.json`), 'SHA256SUMS', 'SHA256SUMS.sig'].sort(),
    );
    sh(`cd ${folder} && sha256sum --quiet --check SHA256SUMS`);
    sh(
      `openssl pkeyutl -verify -rawin -pubin -inkey public.pem -in ${file('SHA256SUMS')} -sigfile ${file('SHA256SUMS.sig')}`,
    );
    const partsOf = (name: string) => JSON.parse(readFileSync(file(`${name}.cdx.json`), 'utf8')).components;
    const named = partsOf(names[1]!).map(({ purl }: { purl: string }) => purl);
    expect(named).toContainEqual(expect.stringMatching(/^pkg:npm\/fastify@/));
    expect(named).toContainEqual(expect.stringMatching(/^pkg:deb\/debian\/libc6@/));
    const licences = partsOf(debian).map(
      ({ licenses }: { licenses: { license: { id: string } }[] }) => licenses[0]!.license.id,
    );
    expect(licences.filter((licence: string) => licence === 'unknown')).toEqual([]);
  });

  test('is the same, byte for byte, from another clone in another folder', () => {
    const other = releaseFrom('one', 'another-one', '');
    expect(readFileSync(join(other, 'SHA256SUMS'), 'utf8')).toBe(readFileSync(file('SHA256SUMS'), 'utf8'));
  });
});

/** A Weft in a container, from nothing but the release; ends with the test. */
function startImage(name: string, port: number, args: string): string {
  const limits = '--ulimit nofile=20000:20000 --ulimit nproc=1000:1000';
  // The network of the host, without which no container starts in here; the port stays on this machine.
  const here = `--network=host -e WEFT_HOST=127.0.0.1 -e WEFT_PORT=${port}`;
  const url = `http://127.0.0.1:${port}`;
  sh(
    `podman --runtime runc run -d --name ${name} --read-only --cap-drop all ${limits} ${here} ${args} weft:${version}`,
  );
  return url;
}

async function ready(url: string): Promise<void> {
  await eventually(
    async () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    (ok) => ok,
  );
}

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const login = (url: string) =>
  fetch(`${url}/api/v1/token/?login_type=user`, {
    method: 'POST',
    body: new URLSearchParams({ username: adminUsername, password }),
  });
let ports = 20_000 + (process.pid % 9_000);

describe.skipIf(!isPossible)('the image', () => {
  beforeAll(() => sh(`gunzip -c ${file(`weft-image-${version}-${architecture}.tar.gz`)} | podman load -q`));
  afterAll(() => spawnSync('podman', ['rmi', '--force', `weft:${version}`]));

  test('is small, and its file is smaller', () => {
    const bytes = Number(sh(`podman image inspect --format '{{.Size}}' weft:${version}`));
    process.stdout.write(`image: ${Math.round(bytes / 1e6)} MB unpacked\n`);
    expect(bytes).toBeLessThan(190e6);
    expect(statSync(file(`weft-image-${version}-${architecture}.tar.gz`)).size).toBeLessThan(80e6);
  });

  test('serves, as nobody in particular, is healthy, ends well, and what it stored is there in the next one', async () => {
    const [name, port] = [`weft-test-${process.pid}`, ports++];
    onTestFinished(() => void spawnSync('podman', ['rm', '--force', '--volumes', name, `${name}-2`]));
    onTestFinished(() => void spawnSync('podman', ['volume', 'rm', '--force', name]));
    const began = performance.now();
    const url = startImage(name, port, `-v ${name}:/var/lib/weft`);
    await ready(url);
    process.stdout.write(`image: ready ${Math.round(performance.now() - began)} ms after podman run began\n`);
    expect(await (await fetch(`${url}/api/v1/version`)).json()).toEqual({ version, commit });
    expect(
      (await post(`${url}/api/v1/users/public`, { username: adminUsername, password, roles: ['admin'] })).status,
    ).toBe(200);
    expect((await fetch(`${url}/manual`)).status).toBe(200);
    expect(await (await fetch(`${url}/`)).text()).toContain('<script type="module"');
    expect(sh(`podman exec ${name} weft version`)).toBe(`weft ${version} (commit ${commit.slice(0, 12)})\n`);
    // On a machine with much else to do one may take longer than its limit; who watches asks again, too.
    const healthy = async () => spawnSync('podman', ['healthcheck', 'run', name]).status;
    await eventually(healthy, (status) => status === 0);
    const pid = sh(`podman inspect --format '{{.State.Pid}}' ${name}`).trim();
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s+10001\s+10001/m);
    // It can write nowhere but where its data is.
    const written = spawnSync('podman', ['exec', name, '/usr/lib/weft/bin/node', '-e', 'fs.writeFileSync("/x", "")'], {
      encoding: 'utf8',
    });
    expect(written.stderr).toContain('EROFS');
    sh(`podman stop -t 40 ${name}`);
    expect(sh(`podman inspect --format '{{.State.ExitCode}}' ${name}`).trim()).toBe('0');
    // As at an upgrade: another container, the same data.
    const next = startImage(`${name}-2`, port, `-v ${name}:/var/lib/weft`);
    await ready(next);
    expect((await login(next)).status).toBe(200);
  });

  test('opens the data of the version before', async () => {
    const [name, port] = [`weft-before-${process.pid}`, ports++];
    onTestFinished(() => void spawnSync('podman', ['rm', '--force', '--volumes', name]));
    sh(
      `mkdir -p before && tar -xzf ${join(root, 'test/kept-data/0.2.0.tar.gz')} -C before && chown -R 10001:10001 before/data`,
    );
    const url = startImage(name, port, `-v ${join(work, 'before/data')}:/var/lib/weft`);
    await ready(url);
    const body = new URLSearchParams({ username: 'ada@example.org', password: 'correct horse battery' });
    expect((await fetch(`${url}/api/v1/token/?login_type=user`, { method: 'POST', body })).status).toBe(200);
  });

  test.skipIf(!has('podman-compose'))('is started by the compose file for one machine', async () => {
    const port = ports++;
    mkdirSync(join(work, 'compose'), { recursive: true });
    const text = readFileSync(join(root, 'deploy/one-machine/compose.yml'), 'utf8');
    writeFileSync(join(work, 'compose/compose.yml'), text.replace('8000:8000', `${port}:8000`));
    // What a machine of this kind lets a container have.
    writeFileSync(
      join(work, 'compose/here.yml'),
      'services:\n  weft:\n    ulimits:\n      nofile: 20000\n      nproc: 1000\n',
    );
    const compose = 'cd compose && podman-compose --podman-args "--runtime runc" -f compose.yml -f here.yml';
    onTestFinished(() => void spawnSync('sh', ['-c', `${compose} down --volumes`], { cwd: work }));
    sh(`${compose} up -d --no-build`);
    await ready(`http://127.0.0.1:${port}`);
    expect(await (await fetch(`http://127.0.0.1:${port}/api/v1/version`)).json()).toEqual({ version, commit });
  });

  test('runs the demonstration', async () => {
    const [name, port] = [`weft-demo-${process.pid}`, ports++];
    onTestFinished(() => void spawnSync('podman', ['rm', '--force', '--volumes', name]));
    const limits = '--ulimit nofile=20000:20000 --ulimit nproc=1000:1000 --network=host';
    const settings = `-e WEFT_HOST=127.0.0.1 -e WEFT_PORT=${port}`;
    sh(
      `podman --runtime runc run -d --name ${name} ${limits} ${settings} --tmpfs /tmp weft:${version} demo --data-dir /tmp/demo`,
    );
    await eventually(
      async () => spawnSync('podman', ['logs', name], { encoding: 'utf8' }).stdout,
      (said) => said.includes('access points have reported') || /\d+ access points/.test(said),
    );
  });
});

describe.skipIf(!isPossible)('the Debian package', () => {
  test('lintian finds no error', () => {
    const { stdout } = spawnSync('lintian', ['--fail-on', 'error', file(debian)], { encoding: 'utf8' });
    expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([]);
  });

  test('is installed, serves with the command of its unit, is upgraded, removed and purged', async () => {
    sh(
      'mmdebstrap --quiet --variant=minbase --include=adduser,systemd bookworm system && mount -t proc proc system/proc',
    );
    onTestFinished(() => void spawnSync('umount', [join(work, 'system/proc')]));
    cpSync(file(debian), join(work, 'system/weft.deb'));
    const inside = (command: string) =>
      sh(`chroot system ${command}`, { DEBIAN_FRONTEND: 'noninteractive', NODE_EXTRA_CA_CERTS: '' });
    const path = (name: string) => join(work, 'system', name);
    inside('dpkg -i /weft.deb');
    expect(inside('weft version')).toContain(commit.slice(0, 12));
    expect(inside('systemctl is-enabled weft')).toBe('enabled\n');
    expect(inside('stat -c %U:%a /var/lib/weft /etc/weft/weft.env')).toBe('weft:700\nroot:640\n');
    const exposure = sh(
      'systemd-analyze security --offline=true --no-pager system/lib/systemd/system/weft.service | tail -2',
    );
    process.stdout.write(exposure);
    expect(Number(/level for weft\.service: ([\d.]+)/.exec(exposure)?.[1])).toBeLessThanOrEqual(2.5);
    const [, start = ''] =
      /^ExecStart=(.*)$/m.exec(readFileSync(path('lib/systemd/system/weft.service'), 'utf8')) ?? [];
    const port = ports++;
    const run = async (use: (url: string) => Promise<void>) => {
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
      const command = [
        'chroot',
        path(''),
        'setpriv',
        '--reuid=weft',
        '--regid=weft',
        '--init-groups',
        ...start.split(' '),
      ];
      const child = spawn(command[0]!, [...command.slice(1), '--port', String(port)], { env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      try {
        await ready(`http://127.0.0.1:${port}`);
        await use(`http://127.0.0.1:${port}`);
      } finally {
        child.kill('SIGTERM');
      }
      expect(await ended).toBe(0);
    };
    await run(async (url) => {
      expect(
        (await post(`${url}/api/v1/users/public`, { username: adminUsername, password, roles: ['admin'] })).status,
      ).toBe(200);
    });
    // What an administrator has set survives an upgrade, as what was stored does.
    sh('echo "WEFT_LOG_LEVEL=warn" >> system/etc/weft/weft.env');
    sh(`dpkg-deb -R ${file(debian)} newer && sed -i 's/^Version: .*/Version: ${version}+1/' newer/DEBIAN/control
      dpkg-deb --root-owner-group -Znone --build newer system/newer.deb > /dev/null`);
    inside('dpkg -i --force-confold /newer.deb');
    expect(readFileSync(path('etc/weft/weft.env'), 'utf8')).toContain('WEFT_LOG_LEVEL=warn');
    await run(async (url) => expect((await login(url)).status).toBe(200));
    inside('dpkg -r weft');
    expect(['usr/lib/weft', 'var/lib/weft/weft.db', 'etc/weft/weft.env'].map((name) => existsSync(path(name)))).toEqual(
      [false, true, true],
    );
    inside('dpkg -P weft');
    expect(['var/lib/weft', 'etc/weft'].map((name) => existsSync(path(name)))).toEqual([false, false]);
  });
});

describe.skipIf(!isPossible)('packages in empty projects', () => {
  test.each([
    ['Node 24', process.execPath],
    ['the Node of the machine', otherNode ?? process.execPath],
  ])('for %s: command line, SDK and emulator, with strict types', (title, node) => {
    const project = join(work, title.replaceAll(' ', '-'));
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"mine","private":true,"type":"module"}');
    const packages = ['weft-sdk', 'weft-emulator', 'weft'].map((name) => file(`${name}-${version}.tgz`)).join(' ');
    sh(`cd ${project} && npm install --offline --no-audit --no-fund --ignore-scripts ${packages}`);
    const compiler = {
      strict: true,
      noUncheckedIndexedAccess: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
    };
    const compilerOptions = { ...compiler, typeRoots: [join(root, 'node_modules/@types')], outDir: 'out' };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    writeFileSync(
      join(project, 'program.ts'),
      `import { App, Agent } from '@weft/sdk';
import { baselineNames, baselineOf, taskNames, taskOf } from '@weft/emulator/env';
import { createWorld } from '@weft/emulator';
const [policy = ''] = baselineNames;
console.log([typeof App, typeof Agent, typeof createWorld, typeof baselineOf(policy), typeof taskOf(taskNames[0])].join());\n`,
    );
    sh(`cd ${project} && ${process.execPath} ${join(root, 'node_modules/typescript/bin/tsc')} -p .`);
    expect(sh(`cd ${project} && ${node} out/program.js`)).toBe('function,function,function,function,object\n');
    expect(sh(`${node} ${project}/node_modules/weft/weft.mjs version`)).toContain(`weft ${version} (commit`);
  });

  test('for Python: the wheel, with the python3 of the machine', () => {
    const python = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';
    sh(
      `${python} -m venv --system-site-packages python && python/bin/pip install -q ${file(`weft_gym-${version}-py3-none-any.whl`)}`,
    );
    const program = 'import weft_gym; print(weft_gym.__name__)';
    expect(sh(`cd / && ${join(work, 'python/bin/python')} -c '${program}'`)).toBe('weft_gym\n');
  });
});
