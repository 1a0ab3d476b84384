// The files in deploy/ hold together: their settings exist and make a configuration, systemd and HAProxy find nothing wrong.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../controller/src/core/base/config.ts';
import { settings } from '../controller/src/core/base/settings.ts';
import kubernetes from '../test/kubernetes-types.json' with { type: 'json' };
import { startWeft } from '../test/weft.ts';
import { startDeployedProxy } from './cluster.ts';
import { root, temporaryFolder } from './weft-process.ts';

const folder = join(root, 'deploy');
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name));
const ending = (end: string) => files.filter((file) => file.endsWith(end));
const textOf = (file: string) => readFileSync(file, 'utf8');
const operations = textOf(join(root, 'docs', 'operations.md'));
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** What would be in the files of secrets. */
const secrets: Record<string, string> = {
  'database-url': 'postgres://weft:geheim@10.0.0.1/weft?sslmode=verify-full',
  'telemetry-url': 'postgres://weft:geheim@10.0.0.2/weft?sslmode=verify-full',
  'amqp-url': 'amqps://weft:geheim@10.0.0.3',
  'smtp-url': 'smtps://weft:geheim@10.0.0.4',
  secret: '8kX1vT0cQnE4bYw7ZpLr2sUd9fGhJmKo3iAa5eNqRtVx',
};

function problemsOf(texts: Record<string, string | undefined>): string[] {
  const readFile = (path: string) => ({ text: secrets[path.split('/').at(-1)!]!, everybodyCanRead: false });
  try {
    return loadConfig({ file: texts, readFile }).warnings;
  } catch (error) {
    return [(error as Error).message];
  }
}

/** The settings of each service, those of the anchor that it merges included. */
function servicesIn(compose: string): Record<string, string>[] {
  const settingsIn = (text: string) =>
    Object.fromEntries([...text.matchAll(/^ +(WEFT_[A-Z_]+): (.+)$/gm)].map(([, name, value]) => [name!, value!]));
  const [shared = '', services = ''] = compose.split(/^services:$/m);
  const each = services.split(/^(?= {2}[a-z]+[a-z0-9-]*:$)/m).filter((text) => /<<: \*weft|dockerfile/.test(text));
  return each.map((text) => ({ ...settingsIn(shared), ...settingsIn(text) }));
}

test.each(ending('.env'))('%s is a configuration without a warning', (file) => {
  expect(problemsOf(parseEnv(textOf(file)))).toEqual([]);
});

describe.each(ending('compose.yml'))('%s', (file) => {
  test('each Weft in it has a configuration without a warning', () => {
    const services = servicesIn(textOf(file));
    expect(services.length).toBeGreaterThan(0);
    for (const service of services) expect(problemsOf(service)).toEqual([]);
    const [first] = services;
    expect(problemsOf({ ...first, WEFT_ROLE: 'api' })).not.toEqual([]);
  });

  test('names secrets, volumes, services and files that are there', () => {
    const text = textOf(file);
    const declared = (section: string) => {
      const [, body = ''] = text.split(new RegExp(`^${section}:$`, 'm'));
      return [...body.split(/^\w/m)[0]!.matchAll(/^ {2}([\w.-]+):/gm)].map(([, name]) => name);
    };
    for (const [, name] of text.matchAll(/\/run\/secrets\/([\w-]+)/g)) expect(declared('secrets')).toContain(name);
    for (const [, name] of text.matchAll(/source: ([\w.-]+)/g)) expect(declared('secrets')).toContain(name);
    for (const [, name] of text.matchAll(/^ {6}- ([a-z]+):\//gm)) expect(declared('volumes')).toContain(name);
    for (const [, name] of text.matchAll(/depends_on:\n((?: +- [\w-]+\n)+)/g)) {
      for (const [, service] of name!.matchAll(/- ([\w-]+)/g)) expect(declared('services')).toContain(service);
    }
    for (const [, path] of text.matchAll(/- \.\/([\w.]+):/g)) expect(existsSync(join(file, '..', path!))).toBe(true);
    expect(existsSync(join(root, 'deploy/Dockerfile'))).toBe(true);
  });
});

describe.each(ending('.service'))('%s', (file) => {
  const text = textOf(file);

  test('runs what is there, with settings that are there, and gives it time and files enough', () => {
    const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? '';
    const program = value('ExecStart').split(' ');
    for (const path of program.filter((word) => word.startsWith('/opt/weft'))) {
      expect([path, existsSync(path.replace('/opt/weft', root))]).toEqual([path, true]);
    }
    // docs/operations.md installs one of them under another name.
    const settingsFile = program.at(-1)!;
    const installed = new RegExp(`deploy/one-machine/(\\S+) ${settingsFile}`).exec(operations)?.[1];
    expect(existsSync(join(file, '..', installed ?? settingsFile.split('/').at(-1)!))).toBe(true);
    expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(Number(settings.shutdownSeconds.default) + 5);
    expect(Number(value('LimitNOFILE'))).toBeGreaterThan(Number(settings.maxConnections.default));
  });

  test.skipIf(!hasSystemd)('systemd finds nothing wrong', () => {
    const copy = join(temporaryFolder(), 'weft.service');
    // The account exists only where Weft is installed.
    writeFileSync(copy, text.replaceAll('/opt/weft', root).replace('User=weft\n', ''));
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8' });
    expect(stderr.split('\n').filter((line) => line.includes('weft.service'))).toEqual([]);
  });

  test.skipIf(!hasSystemd)('systemd rates the exposure of the service at 3 or less', () => {
    const rate = (unit: string) => {
      const copy = join(temporaryFolder(), 'weft.service');
      writeFileSync(copy, unit.replaceAll('/opt/weft', root));
      const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', copy], { encoding: 'utf8' });
      return Number(/Overall exposure level for weft\.service: ([\d.]+)/.exec(stdout)?.[1]);
    };
    expect(rate(text)).toBeLessThanOrEqual(3);
    expect(rate(text.replace(/^(Protect|Private|Restrict|SystemCall|Capab|NoNew).*\n/gm, ''))).toBeGreaterThan(8);
  });
});

test.skipIf(!existsSync('/usr/sbin/haproxy')).each(ending('haproxy.cfg'))(
  'HAProxy finds nothing wrong with %s',
  (file) => {
    const { status, stderr } = spawnSync('/usr/sbin/haproxy', ['-c', '-q', '-f', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  },
);

describe.each(ending('haproxy.cfg'))('%s', (file) => {
  const [, controllers = '', live = ''] = textOf(file).split(/^backend .*\n/m);
  const milliseconds = (text: string, name: string) => {
    const [, count, unit] = new RegExp(`\\b${name} (\\d+)(m?s)\\b`).exec(text) ?? [];
    return Number(count) * (unit === 'ms' ? 1 : 1000);
  };

  test('a frozen node is out within 5 seconds, with its sessions', () => {
    for (const backend of [controllers, live]) {
      const everyMs = milliseconds(backend, 'inter');
      const fall = Number(/\bfall (\d+)/.exec(backend)?.[1]);
      // The first check that fails begins up to `inter` after the node froze, and the next ones as long after the one before has ended.
      expect(fall * (everyMs + milliseconds(textOf(file), 'timeout check'))).toBeLessThan(5_000);
      expect(backend).toContain('on-marked-down shutdown-sessions');
    }
  });

  test('every node is asked whether it is ready and, if none is, whether it lives', () => {
    const servers = (backend: string) => backend.match(/^ {2}server .*/gm);
    expect(servers(live)).toEqual(servers(controllers));
    expect([controllers, live].map((backend) => /httpchk GET (\S+)/.exec(backend)?.[1])).toEqual([
      '/readyz?for=traffic',
      '/livez',
    ]);
  });
});

describe('deploy/kubernetes', () => {
  // biome-ignore lint/suspicious/noExplicitAny: files of every shape
  type Manifest = any;
  const read = (name: string): Manifest => parseYaml(textOf(join(folder, 'kubernetes', name)));
  const kustomization = read('kustomization.yaml');
  const resources: Manifest[] = kustomization.resources.map(read);
  const ofKind = (kind: string) => resources.filter((each) => each.kind === kind);
  const types: Record<string, Record<string, string>> = kubernetes.types;

  /** What is wrong with a value of this type, by its path: fields that the API does not know or that are missing, other types. */
  function problems(value: Manifest, type: string, path: string): string[] {
    const [, items] = /^Array<(\w+)>$/.exec(type) ?? [];
    if (items !== undefined) {
      if (!Array.isArray(value)) return [`${path}: no list`];
      return value.flatMap((each, index) => problems(each, items, `${path}[${index}]`));
    }
    const [, values] = /^Map<(\w+)>$/.exec(type) ?? [];
    if (values !== undefined)
      return Object.entries(value).flatMap(([key, each]) => problems(each, values, `${path}.${key}`));
    const fields = types[type];
    if (fields === undefined) {
      const isOne = type.split(' | ').some((each) => each === typeof value || each === JSON.stringify(value));
      return isOne ? [] : [`${path}: ${JSON.stringify(value)} is no ${type}`];
    }
    if (typeof value !== 'object' || value === null) return [`${path}: no ${type}`];
    const missing = Object.keys(fields).filter((key) => !key.endsWith('?') && !(key in value));
    return [
      ...missing.map((key) => `${path}.${key} is missing`),
      ...Object.entries(value).flatMap(([key, each]) => {
        const of = fields[key] ?? fields[`${key}?`];
        return of === undefined ? [`${path}.${key}: unknown`] : problems(each, of, `${path}.${key}`);
      }),
    ];
  }

  test('every field is one of the API, and of its type', () => {
    expect(resources.length).toBeGreaterThan(5);
    for (const resource of resources) {
      expect(kubernetes.kinds).toContain(resource.kind);
      expect(problems(resource, resource.kind, resource.kind)).toEqual([]);
    }
    const [first] = structuredClone(ofKind('Deployment'));
    const [container] = first.spec.template.spec.containers;
    container.livenesProbe = {};
    container.ports[0].containerPort = '8000';
    delete first.spec.selector;
    expect(problems(first, 'Deployment', 'd')).toEqual([
      'd.spec.selector is missing',
      'd.spec.template.spec.containers[0].ports[0].containerPort: "8000" is no number',
      'd.spec.template.spec.containers[0].livenesProbe: unknown',
    ]);
  });

  test('all files are used, and the names in them fit together', () => {
    const names = readdirSync(join(folder, 'kubernetes')).filter((name) => name.endsWith('.yaml'));
    expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual(names.sort());
    const labelsOf = ({ spec }: Manifest) => spec.template.metadata.labels;
    const component = 'app.kubernetes.io/component';
    for (const each of ofKind('Deployment')) {
      expect(labelsOf(each)).toEqual(each.spec.selector.matchLabels);
      const [container] = each.spec.template.spec.containers;
      expect(container.image).toBe(kustomization.images[0].name);
      expect(container.envFrom[0].configMapRef.name).toBe(kustomization.configMapGenerator[0].name);
      expect(each.spec.template.spec.volumes[0].secret.secretName).toBe(kustomization.secretGenerator[0].name);
      const volumes = each.spec.template.spec.volumes.map(({ name }: Manifest) => name);
      expect(container.volumeMounts.map(({ name }: Manifest) => name)).toEqual(volumes);
    }
    const controllers = ofKind('Deployment').find((each) => labelsOf(each)[component] === 'controller');
    const [service] = ofKind('Service');
    const [budget] = ofKind('PodDisruptionBudget');
    expect(service.spec.selector).toEqual(labelsOf(controllers));
    expect(budget.spec.selector.matchLabels).toEqual(labelsOf(controllers));
    expect(controllers.spec.replicas).toBeGreaterThan(budget.spec.maxUnavailable);
    expect(controllers.spec.template.spec.containers[0].ports[0].name).toBe(service.spec.ports[0].targetPort);
  });

  test('each Deployment has a configuration without a warning, secrets that are there, and time to end', () => {
    const shared = parseEnv(kustomization.configMapGenerator[0].literals.join('\n'));
    const given = kustomization.secretGenerator[0].files.map((file: string) => file.split('/').at(-1));
    const named = Object.values(shared).filter((value) => value?.startsWith('/etc/weft/secrets/'));
    expect(named.map((value) => value!.split('/').at(-1)).sort()).toEqual(given.sort());
    for (const { spec } of ofKind('Deployment')) {
      const pod = spec.template.spec;
      const [container] = pod.containers;
      const own = Object.fromEntries(container.env.map(({ name, value }: Manifest) => [name, value]));
      expect(problemsOf({ ...shared, ...own })).toEqual([]);
      const pauseSeconds = Number(container.lifecycle.preStop.exec.command[1]);
      const seconds = pauseSeconds + Number(settings.shutdownSeconds.default);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 5);
    }
  });

  test('the probes are answered by Weft, asked as Kubernetes asks', async () => {
    const weft = await startWeft();
    try {
      for (const { spec } of ofKind('Deployment')) {
        const { startupProbe, livenessProbe, readinessProbe } = spec.template.spec.containers[0];
        const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }: Manifest) => httpGet.path);
        expect(paths).toEqual(['/livez', '/livez', '/readyz?for=traffic']);
        for (const path of paths) {
          expect((await weft.request('GET', path, { headers: { host: '10.1.2.3:8000' } })).status).toBe(200);
        }
      }
    } finally {
      await weft.stop();
    }
  });
});

test.skipIf(!existsSync('/usr/sbin/haproxy'))('a proxy asks another node only for what changes nothing', async () => {
  const asked: string[] = [];
  // Both are gone once they have read something, and nobody knows whether they have done it.
  const nodes = [0, 1].map(() =>
    createServer(({ method, url, socket }, response) => {
      if (/z(\?|$)/.test(url!)) return void response.end();
      asked.push(method!);
      socket.destroy();
      return undefined;
    }).listen(0, '127.0.0.1'),
  );
  onTestFinished(() => {
    for (const node of nodes) node.close();
  });
  await Promise.all(nodes.map((node) => once(node, 'listening')));
  const url = await startDeployedProxy(nodes.map((node) => (node.address() as AddressInfo).port));
  const ask = (method: string) =>
    fetch(`${url}/api/v1/x`, { method }).then(
      ({ status }) => status,
      () => 'closed',
    );
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    asked.length = 0;
    // Or the connection is closed, if it was in use before: both say that nobody knows.
    expect([502, 'closed']).toContain(await ask(method));
    expect(asked).toEqual([method]);
  }
  asked.length = 0;
  await ask('GET');
  expect(asked.length).toBeGreaterThan(1);
});
