// The agent that people put on their access points, as a process on this machine: from the line that enrols it to commands,
// restarts and a controller that is away for a while.
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHere, serve as serveHere } from './weft-here.ts';
import { eventually, root, temporaryFolder, type Weft, WeftProcess } from './weft-process.ts';

/** As access points get it from Weft. */
const client = join(root, 'dashboard', 'dist', 'install', 'weft.mjs');
const launcher = [process.execPath, client];

/** What the line does on an access point, but in the foreground and without rights. */
function runLine(line: string, more: string): WeftProcess {
  const [token = '', program = ''] = line.split(' && ').at(-1)!.split(' | ');
  const [, options = ''] = program.split(' agent install ');
  expect(options).toContain('--enrolment-token-file -');
  const file = join(temporaryFolder(), 'token');
  const command = `${token} > ${file}; exec ${process.execPath} ${client} agent run ${options} ${more} < ${file}`;
  return new WeftProcess(['-c', command], { launcher: ['sh'] });
}

const connected = (agent: WeftProcess) => agent.until('connection', () => agent.err.includes('connected to'));

async function latest(server: Weft, token: string): Promise<Record<string, { ts: string; value: number }>> {
  const { body } = await server.request('GET', '/api/v1/metrics/latest', { token });
  return body.agents[0]?.metrics ?? {};
}

test('a real access point enrols by its line, reports, obeys, and survives restarts of both sides', async () => {
  let server = await serveHere();
  const admin = await server.createAdmin();
  const env = { WEFT_URL: server.url, WEFT_TOKEN: admin };
  const made = await runHere(['agent', 'line', 'roof-1', '--set', "site=St. Mary's $(touch x)"], {
    HOME: temporaryFolder(),
    ...env,
  });
  expect([made.code, made.out.split('\n').length]).toEqual([0, 2]);
  expect(made.out).toContain(`curl -fsSL ${server.url}/install/weft.mjs -o $d/weft.mjs && printf `);

  const folder = temporaryFolder();
  writeFileSync(join(folder, 'say'), '#!/bin/sh\ncat\n', { mode: 0o755 });
  writeFileSync(join(folder, 'secret'), '#!/bin/sh\ncat\n', { mode: 0o755 });
  const spool = join(folder, 'state');
  const options = `--interval 2 --spool-dir ${spool} --allow run:say --commands-dir ${folder}`;
  let agent = runLine(made.out.trim(), options);
  await connected(agent);
  expect(agent.err).toMatch(/^weft agent: roof-1: .*takes identify, set_report_interval, say$/m);

  // What it measures can be read, with labels; it is online; it says what it is.
  const query = '/api/v1/metrics/agent_multi_metric_data?agent=roof-1&metrics=memory_used_pct,cpu_busy_pct&window=5';
  const { body } = await eventually(
    () => server.request('GET', query, { token: admin }),
    (answer) => answer.body.series?.every(({ points }: { points: [] }) => points.length > 0),
  );
  expect(body.series[0].points[0].value).toBeGreaterThan(0);
  const { body: record } = await server.request('GET', '/api/v1/agents/roof-1', { token: admin });
  expect(record.configuration).toMatchObject({
    site: "St. Mary's $(touch x)",
    report_interval_seconds: 2,
    kernel: expect.any(String),
    metrics: { cpu_busy_pct: { label: 'Processor busy', unit: '%' } },
  });
  const presence = await server.request('GET', '/api/v1/metrics/presence', { token: admin });
  expect(presence.body.agents).toMatchObject([{ ap_id: 'roof-1', presence: 'online' }]);

  // Commands: what was allowed is done, whatever is in the arguments; the rest is not even known.
  const send = (command: unknown) =>
    server.request(
      'POST',
      `/api/v1/send_command?agent_id=roof-1&command=${encodeURIComponent(JSON.stringify(command))}`,
      {
        token: admin,
      },
    );
  const ended = async (command: unknown) => {
    const { command_id } = (await send(command)).body;
    const ask = () => server.request('GET', `/api/v1/commands/${command_id}`, { token: admin });
    return (await eventually(ask, (answer) => ['succeeded', 'failed'].includes(answer.body.state))).body;
  };
  const hostile = `$(touch ${folder}/x) \`touch ${folder}/x\`; touch ${folder}/x`;
  expect(await ended({ name: 'say', text: hostile })).toMatchObject({
    ...{ state: 'succeeded', result: { output: `${JSON.stringify({ text: hostile })}\n` } },
  });
  expect(existsSync(join(folder, 'x'))).toBe(false);
  for (const name of ['secret', 'reboot', 'set_tx_power']) expect((await send({ name })).status).toBe(422);
  expect(await ended({ name: 'set_report_interval', seconds: 1 })).toMatchObject({ state: 'succeeded' });
  await eventually(
    () => server.request('GET', '/api/v1/agents/roof-1', { token: admin }),
    (answer) => answer.body.configuration.report_interval_seconds === 1,
  );

  // While Weft is away, reports wait on disk; they arrive with the time they were made at.
  const port = new URL(server.url).port;
  await server.stop();
  await agent.until('loss', () => agent.err.includes('lost the connection'));
  const leftAt = Date.now();
  const waitingBytes = async () => {
    const files = readdirSync(join(spool, 'roof-1')).filter((name) => name.endsWith('.spool'));
    return files.reduce((sum, name) => sum + statSync(join(spool, 'roof-1', name)).size, 0);
  };
  // The first that is written may have been measured before the loss was told.
  for (let round = 0; round < 2; round++) {
    const known = await waitingBytes();
    await eventually(waitingBytes, (bytes) => bytes > known);
  }
  const backAt = Date.now();
  server = await serveHere({ env: { WEFT_DATA_DIR: join(server.folder, 'data'), WEFT_PORT: port } });
  const raw = `/api/v1/metrics/agent_multi_metric_data?agent=roof-1&metrics=uptime_seconds&window=5`;
  await eventually(
    () => server.request('GET', raw, { token: admin }),
    ({ body: answer }) =>
      answer.series?.[0].points.some(({ ts }: { ts: string }) => Date.parse(ts) > leftAt && Date.parse(ts) < backAt),
  );

  // The same agent after a restart, without a token.
  expect(await agent.end('SIGTERM')).toBe(0);
  expect(agent.err).toMatch(/stopped\n$/);
  const before = await latest(server, admin);
  agent = new WeftProcess(
    ['agent', 'run', '--url', server.url, '--ap-id', 'roof-1', '--interval', '1', '--spool-dir', spool],
    { launcher },
  );
  await connected(agent);
  await eventually(
    () => latest(server, admin),
    (now) => now.uptime_seconds!.ts > before.uptime_seconds!.ts,
  );
  expect(await agent.end('SIGTERM')).toBe(0);
});

test('whoever is not let in, or has the wrong address, is told what to do', async () => {
  const server = await serveHere();
  const folder = temporaryFolder();
  const run = (url: string, env = {}) =>
    runHere(['agent', 'run', '--url', url, '--ap-id', 'roof-1', '--spool-dir', folder], { HOME: folder, ...env });
  const unknown = await run(server.url);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('there is no enrolment token')]);
  const refused = await run(server.url, { WEFT_ENROLMENT_TOKEN: 'weft-enrol-wrong' });
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(
      /Authentication of roof-1 failed: the enrolment token is unknown.*\. Create a new install line: weft agent line roof-1\n$/,
    ),
  ]);
  const other = createServer((_request, response) => response.writeHead(404).end('<html>')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const elsewhere = await run(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringContaining('is not a Weft server (status 404)')]);
  const nowhere = new WeftProcess(
    ['agent', 'run', '--url', 'http://weft.invalid', '--ap-id', 'roof-1', '--spool-dir', folder],
    { launcher },
  );
  await nowhere.until('word', () => nowhere.err.includes('the host name weft.invalid cannot be resolved'));
  expect(await nowhere.end('SIGTERM')).toBe(0);
});

test('a table becomes lines, all of it or nothing, and those who are there are left out', async () => {
  const server = await serveHere();
  const admin = await server.createAdmin();
  const env = { HOME: temporaryFolder(), WEFT_URL: server.url, WEFT_TOKEN: admin };
  const tokens = async () => (await server.request('GET', '/api/v1/enrolment_tokens', { token: admin })).body;
  const options = ['agent', 'import', '-', '--agent-url', 'https://weft.example.org'];
  const bad = await runHere(options, env, 'ap_id,site\nroof-1,a\nroof-*,b\nroof-1,c\n');
  expect([bad.code, bad.out, await tokens()]).toEqual([1, '', []]);
  expect(bad.err).toContain('  line 3: "roof-*" is not a valid access point name');
  expect(bad.err).toContain('  line 4: roof-1 is already in line 2');

  await server.request('POST', '/api/v1/agents/', {
    ...{ token: admin, json: { ap_id: 'roof-2', password: 'correct horse', configuration: {} } },
  });
  const good = await runHere(options, env, '\uFEFFap_id,site\r\nroof-1,Bristol north\r\nroof-2,b\r\n');
  expect([good.code, good.err]).toEqual([0, 'roof-2 is already registered: skipped\nCreated 1 line, skipped 1\n']);
  expect(good.out).toMatch(
    /^ap_id,line\nroof-1,d=\$\(mktemp -d\) && curl .*https:\/\/weft.example.org.* --set 'site=Bristol north'\n$/,
  );
  expect(await tokens()).toMatchObject([{ ap_id_pattern: 'roof-1', max_uses: 1, uses: 0 }]);
  const json = await runHere(['agent', 'line', 'roof-3', '--json', '--expires-in', '1'], env);
  const { expires_at } = JSON.parse(json.out);
  expect(Math.abs(Date.parse(expires_at) - Date.now() - 86_400_000)).toBeLessThan(60_000);
  expect((await runHere(['agent', 'line', 'roof-2'], env)).err).toContain('roof-2 is already registered');
});
