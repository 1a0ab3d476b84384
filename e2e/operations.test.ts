// What docs/operations.md tells operators to install holds together.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { removedSettings, settings } from '../controller/src/settings.ts';
import { runSteps, stepsIn } from './document-steps.ts';
import { adminUsername, command, password, root, serve, temporaryFolder } from './weft-process.ts';

const document = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
const unit = /```ini\n(.*?)```/s.exec(document)?.[1] ?? '';
const unitValue = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Complaints of systemd about a unit, with this checkout in the place of /opt/weft. */
function complaints(text: string): string {
  const file = join(temporaryFolder(), 'weft.service');
  // The account and its folders exist only where Weft is installed.
  writeFileSync(file, text.replaceAll('/opt/weft', root).replace('User=weft\n', ''));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  const lines = stderr.split('\n').filter((line) => line.includes('weft.service'));
  return status === 0 && lines.length === 0 ? '' : lines.join('\n') || stderr;
}

test.skipIf(!hasSystemd)('systemd finds nothing wrong with the unit', () => {
  expect(complaints(unit)).toBe('');
  expect(complaints(unit.replace('Restart=', 'Restrat='))).not.toBe('');
});

test.skipIf(!hasSystemd)('systemd rates the exposure of the service at 3 or less', () => {
  const rate = (text: string) => {
    const file = join(temporaryFolder(), 'weft.service');
    writeFileSync(file, text.replaceAll('/opt/weft', root));
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' });
    return Number(/Overall exposure level for weft\.service: ([\d.]+)/.exec(stdout)?.[1]);
  };
  expect(rate(unit)).toBeLessThanOrEqual(3);
  expect(rate(unit.replace(/^(Protect|Private|Restrict|SystemCall|Capab|NoNew).*\n/gm, ''))).toBeGreaterThan(8);
});

test('the unit runs files that exist, waits longer than a stop takes, and allows enough open files', () => {
  for (const path of unitValue('ExecStart')
    .split(' ')
    .filter((word) => word.startsWith('/opt/weft'))) {
    expect([path, existsSync(path.replace('/opt/weft', root))]).toEqual([path, true]);
  }
  expect(Number(unitValue('TimeoutStopSec'))).toBeGreaterThan(Number(settings.shutdownSeconds.default) + 5);
  expect(Number(unitValue('LimitNOFILE'))).toBeGreaterThan(Number(settings.maxConnections.default));
});

test.each(['README.md', 'docs/operations.md', 'CHANGELOG.md'])(
  '%s names only settings and files that exist',
  (name) => {
    const text = readFileSync(join(root, name), 'utf8');
    const known = new Set(Object.values(settings).flatMap((row) => [row.name, `${row.name}_FILE`] as string[]));
    for (const removed of Object.keys(removedSettings)) known.add(removed);
    const agent = readFileSync(join(root, 'cli/install/weft-agent.sh'), 'utf8');
    for (const [, ofAgent = ''] of agent.matchAll(/\$\{(WEFT_[A-Z_]+)/g)) known.add(ofAgent);
    const named = [...text.matchAll(/\bWEFT_[A-Z_]*[A-Z]/g)].map(([setting]) => setting);
    expect(
      named.filter((setting) => !known.has(setting) && !['WEFT_CONFIG', 'WEFT_TEST_LONG'].includes(setting)),
    ).toEqual([]);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path);
    const folder = join(root, name, '..');
    expect(links.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
    const tests = [...text.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

test('the dashboards and alerts for Grafana and Prometheus ask for metrics that Weft has', async () => {
  const weft = await serve();
  const { body } = await weft.request('GET', '/metrics');
  const known = new Set(
    [...String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`] : [name!],
    ),
  );
  const folder = join(root, 'examples', 'grafana');
  const asked = ['service.json', 'alerts.yml'].flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:weft|process|nodejs)_[a-z0-9_]+/g)].map(
      ([metric]) => metric,
    ),
  );
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((metric) => !known.has(metric))).toEqual([]);
  const sources = new Set(
    [...readFileSync(join(folder, 'datasources.yml'), 'utf8').matchAll(/uid: (\S+)/g)].map(([, uid]) => uid),
  );
  const { panels } = JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8'));
  expect(panels.length).toBeGreaterThan(3);
  for (const { datasource } of panels) expect(sources).toContain(datasource.uid);
});

test('backup, restore and import work as the page says', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'weft');
  const weft = await serve({ env: { WEFT_DATA_DIR: data } });
  const token = await weft.createAdmin();
  await weft.request('POST', '/api/v1/agents/', { token, json: { ap_id: 'ap-roof-1', password, configuration: {} } });
  const second = Math.floor(Date.now() / 1000) - 60;
  mkdirSync(join(folder, 'backups'));
  writeFileSync(join(folder, 'password.txt'), password);
  writeFileSync(join(folder, 'roof.csv'), `when,load\n${new Date(second * 1000).toISOString()},0.5\n`);
  writeFileSync(join(folder, 'fleet.lp.gz'), gzipSync(`cpu,host=ap-roof-1 load=0.7 ${second + 1}\n`));
  const program = `#!/bin/sh\nexec ${process.execPath} ${command} "$@"\n`;
  writeFileSync(join(folder, 'weft.sh'), program, { mode: 0o755 });

  const steps = stepsIn(document).filter(({ commands }) => /^weft (backup|login)/.test(commands));
  expect(steps).toHaveLength(2);
  // The import first, so that there is something to keep.
  const script = steps.reverse().map(({ commands, shown }) => ({
    shown,
    commands: commands
      .replaceAll('https://weft.example.org', `${weft.url} --user ${adminUsername} --password-stdin < password.txt`)
      .replaceAll('/mnt/backups', join(folder, 'backups'))
      .replaceAll('/var/lib/weft', data)
      .replaceAll(/^weft /gm, './weft.sh '),
  }));
  await runSteps(script, { url: weft.url, folder, env: { HOME: folder } });
  await weft.end();
  expect(statSync(join(folder, 'backups', 'weft.tar.zst')).mode & 0o777).toBe(0o600);

  // The secret is not in a backup: it is kept apart and put back by hand.
  cpSync(join(data, 'secret'), join(`${data}-2`, 'secret'));
  const restored = await serve({ env: { WEFT_DATA_DIR: `${data}-2` } });
  const query = 'agent=ap-roof-1&metrics=load,cpu_load&window=60';
  const { body } = await restored.request('GET', `/api/v1/metrics/agent_multi_metric_data?${query}`, { token });
  expect(body.series.map(({ points }: { points: { value: number }[] }) => points.map(({ value }) => value))).toEqual([
    [0.5],
    [0.7],
  ]);
});
