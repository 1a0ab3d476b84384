// The files for Prometheus and Grafana in examples/grafana: what they ask for is there, promtool accepts it, each alert is raised
// with the node it is about, and has a page that says what to do.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWeft } from '../../../../../test/weft.ts';

const root = resolve(import.meta.dirname, '../../../../..');
const grafana = join(root, 'examples', 'grafana');
const textOf = (...path: string[]) => readFileSync(join(...path), 'utf8');
const alertsFile = join(grafana, 'alerts.yml');
/** By name; each alert is a block of this file, with one line for each key. */
const alerts = new Map(
  textOf(alertsFile)
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => [text.split('\n')[0]!, text]),
);
const value = (text: string, key: string) => new RegExp(`^ +${key}: (.*)$`, 'm').exec(text)?.[1] ?? '';

interface Panel {
  title: string;
  datasource: { uid: string };
  targets: { expr: string }[];
}
const panelsOf = (name: string) => JSON.parse(textOf(grafana, name)).panels as Panel[];
const dashboards = ['service.json', 'weft-fleet.json'];
const expressions = () => [
  ...[...alerts.values()].map((text) => value(text, 'expr')),
  ...dashboards.flatMap(panelsOf).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];

/** Of Debian's package `prometheus`. */
const promtool = '/usr/bin/promtool';
const isMissing = !existsSync(promtool) && process.env.CI !== 'true';

/** What promtool prints, and whether it is content. */
function askPromtool(args: string[], file: string, text: string): { isWell: boolean; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'weft-promtool-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, file), text);
  const { status, stdout, stderr } = spawnSync(promtool, [...args, join(folder, file)], { encoding: 'utf8' });
  return { isWell: status === 0, said: `${stdout}${stderr}` };
}

test('every metric of alerts and dashboards is one that Weft has', async () => {
  const weft = await startWeft();
  onTestFinished(() => weft.stop());
  const token = await weft.admin();
  await weft.agent('ap-1');
  const texts = await Promise.all(
    ['/metrics', '/metrics/agents'].map(async (path) => (await weft.request('GET', path, { token })).text),
  );
  const known = new Set(
    [...texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name!],
    ),
  );
  const asked = expressions().flatMap((text) => text.match(/\b(?:weft|process|nodejs)_[a-z0-9_]+/g) ?? []);
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
  const parts = new Set([...texts[0]!.matchAll(/^weft_ready\{part="(\w+)"/gm)].map(([, part]) => part));
  const askedParts = expressions().flatMap((text) =>
    [...text.matchAll(/part=~?"([\w|]+)"/g)].flatMap(([, of]) => of!.split('|')),
  );
  expect(askedParts.filter((part) => !parts.has(part))).toEqual([]);
  // Nobody is told by an alert about a part that has none.
  expect([...parts].filter((part) => !askedParts.includes(part!))).toEqual([]);
});

test('dashboards read from the sources that are set up', () => {
  const sources = new Set([...textOf(grafana, 'datasources.yml').matchAll(/uid: (\S+)/g)].map(([, uid]) => uid));
  for (const { title, datasource } of panelsOf('service.json')) {
    expect([title, sources.has(datasource.uid)]).toEqual([title, true]);
  }
});

test('each alert has a page that says what it means, how to see it and what to do', () => {
  expect(alerts.size).toBeGreaterThan(10);
  const [, ...sections] = textOf(root, 'docs', 'runbooks.md').split(/^## /m);
  expect(sections.map((text) => text.split('\n')[0])).toEqual([...alerts.keys()]);
  for (const text of sections) {
    expect(text.match(/^\*\*(What it means|See it|Do)\.\*\* /gm)?.length, text.split('\n')[0]).toBe(3);
  }
  for (const [name, text] of alerts) {
    expect(value(text, 'runbook_url')).toBe(`docs/runbooks.md#${name.toLowerCase()}`);
    expect([name, value(text, 'severity')]).toEqual([name, expect.stringMatching(/^(critical|warning)$/)]);
    expect([name, value(text, 'summary')]).toEqual([name, expect.stringContaining('{{ $labels.instance }}')]);
  }
});

test.skipIf(isMissing)('promtool accepts the alerts, and every query of the dashboards', () => {
  const { isWell, said } = askPromtool(['check', 'rules'], 'alerts.yml', textOf(alertsFile));
  expect([isWell, said]).toEqual([true, expect.stringContaining(`SUCCESS: ${alerts.size} rules found`)]);
  const queries = dashboards.flatMap(panelsOf).flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const asRules = (of: string[]) =>
    JSON.stringify({ groups: [{ name: 'q', rules: of.map((expr, n) => ({ record: `q${n}`, expr })) }] });
  expect(askPromtool(['check', 'rules'], 'queries.yml', asRules(queries))).toMatchObject({ isWell: true });
  expect(askPromtool(['check', 'rules'], 'queries.yml', asRules(['sum(rate(x[5m])']))).toMatchObject({ isWell: false });
});

/** What raises each alert, beside series of a node that is well. */
const raisedBy: Record<string, [series: string, values: string]> = {
  WeftIsDown: ['up{job="weft",', '0x130'],
  WeftLeftOutOfTraffic: ['weft_ready{job="weft",part="traffic",reason="cut_off",', '0x130'],
  WeftDatabaseAway: ['weft_ready{job="weft",part="telemetry",reason="no_answer",', '0x130'],
  WeftRefusesWrites: ['weft_writes_refused_total{job="weft",', '0+200x130'],
  WeftDiskFails: ['weft_ready{job="weft",part="disk",reason="disk_full",', '0x130'],
  WeftDiskNearlyFull: ['weft_data_disk_free_bytes{job="weft",', '9e9-2e7x130'],
  WeftBrokerAway: ['weft_ready{job="weft",part="broker",reason="broker_unavailable",', '0x130'],
  WeftJobsWait: ['weft_ready{job="weft",part="jobs",reason="failing",', '0x130'],
  WeftJobsDie: ['weft_dead_letters_total{job="weft",', '0x120 1x10'],
  WeftResultsNearlyFull: ['weft_job_results_bytes{job="weft",', '90x130'],
  WeftClockDiffers: ['weft_clock_difference_seconds{job="weft",', '-3x130'],
  WeftRetentionPaused: ['weft_retention_paused{job="weft",', '1x130'],
  WeftFails: ['weft_http_requests_total{job="weft",operation="get_me",status="503",', '0+6x130'],
  WeftIsSlow: ['nodejs_eventloop_lag_p99_seconds{job="weft",', '0.5x130'],
  WeftRunsOutOfFiles: ['process_open_fds{job="weft",', '900x130'],
};
/** The same series of another node, which must not be alerted about. */
const well: Record<string, string> = {
  WeftIsDown: '1x130',
  WeftRefusesWrites: '7x130',
  WeftDiskNearlyFull: '9e9x130',
  WeftJobsDie: '3x130',
  WeftResultsNearlyFull: '10x130',
  WeftClockDiffers: '1x130',
  WeftRetentionPaused: '0x130',
  WeftFails: '5x130',
  WeftIsSlow: '0.01x130',
  WeftRunsOutOfFiles: '100x130',
};

test.skipIf(isMissing)('each alert is raised, with the node that it is about and no other', () => {
  expect(Object.keys(raisedBy)).toEqual([...alerts.keys()]);
  const input_series = Object.entries(raisedBy).flatMap(([alertname, [series, values]]) => [
    { series: `${series}instance="bad:1"}`, values },
    { series: `${series.replace(/reason="\w+"/, 'reason=""')}instance="well:1"}`, values: well[alertname] ?? '1x130' },
  ]);
  for (const instance of ['bad:1', 'well:1']) {
    for (const [limit, values] of [
      ['process_max_fds', '1000x130'],
      ['weft_job_results_limit_bytes', '100x130'],
    ]) {
      input_series.push({ series: `${limit}{job="weft",instance="${instance}"}`, values: values! });
    }
  }
  const exp_samples = [...alerts.keys()].map((alertname) => ({
    labels: `{alertname="${alertname}",instance="bad:1"}`,
    value: 1,
  }));
  const expr = 'count by (alertname, instance) (ALERTS{alertstate="firing"})';
  const judge = (samples: typeof exp_samples) => {
    const tests = [
      { interval: '1m', input_series, promql_expr_test: [{ expr, eval_time: '125m', exp_samples: samples }] },
    ];
    const rounds = { rule_files: [alertsFile], evaluation_interval: '1m', tests };
    return askPromtool(['test', 'rules'], 'rounds.yml', JSON.stringify(rounds));
  };
  expect(judge(exp_samples)).toMatchObject({ isWell: true });
  expect(judge(exp_samples.slice(1))).toMatchObject({ isWell: false });
});
