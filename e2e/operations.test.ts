// What docs/operations.md tells operators to install holds together.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settings } from '../controller/src/settings.ts';
import { root, serve, temporaryFolder } from './weft-process.ts';

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
  for (const name of ['service.json', 'access-points.json']) {
    const { panels } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(panels.length).toBeGreaterThan(3);
    for (const { datasource } of panels) expect(sources).toContain(datasource.uid);
  }
});
