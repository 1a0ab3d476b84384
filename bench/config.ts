// What does desired configuration cost? Rendering, the preview of a change for 10,000 access points, and posts beside a roll-out to 1,000
// emulated ones against posts beside the same network without it. `--agents 2000`, `--emulated 200`, `--seconds 10` for a quick look.

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { readDeclaredSettings } from '@weft/contract/declared-settings';
import type { Layer } from '../controller/src/operations/desired/model/layer.ts';
import { LayerStack, noContext } from '../controller/src/operations/desired/model/render.ts';
import { admin, EmulatedNetwork } from './harness/emulated-network.ts';
import { prepareFleet } from './harness/fleet.ts';
import { createDataDir, startWeft } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';
import { type Posted, whilePosting } from './harness/steady-posts.ts';

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '10000' },
    emulated: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '30' },
  },
});
const agents = Number(options.agents);
const emulated = Number(options.emulated);
const seconds = Number(options.seconds);
const posting = Math.min(1000, agents);
const trySeconds = 300;

const settings = {
  channel: { type: 'integer', enum: [36, 40, 44, 48, 100], parameter: 'channel', restart: 'radio' },
  tx_power_dbm: { type: 'number', minimum: 0, maximum: 20, parameter: 'tx_power' },
  country: { type: 'string' },
  networks: { type: 'array' },
};
/** Ten that lie over each other: who, how heavy, what. */
const layers = Array.from({ length: 10 }, (_, n) => ({
  name: `layer ${n}`,
  selector: n % 2 === 0 ? 'name:ap-*' : `name:ap-*${n}`,
  weight: n,
  settings: {
    channel: [36, 40, 44, 48, 100][n % 5],
    tx_power_dbm: 10 + n,
    country: 'GB',
    networks: [{ ssid: `net-${n}`, security: 'wpa2', vlan: n }],
  },
}));

const figures: Figure[] = [];
measureRendering();
const dataDir = createDataDir();
const fleet = (await prepareFleet(dataDir, agents, undefined, { access_point_type: 'WiFi', settings })).slice(
  0,
  posting,
);
const weft = await startWeft({ ...admin, WEFT_MAX_AGENTS: '1000000' }, dataDir);
try {
  const token = await login();
  await measurePreview(token);
  await measureRollout(token);
} finally {
  await weft.stop();
}
figures.push({ question: 'load of the machine at the end, of two cores', value: loadavg()[0]!.toFixed(1) });
keep('config', figures);

function measureRendering(): void {
  renderingOf('ten layers', layers);
  const variable = '${' + 'country}';
  const withVariable = layers.map((layer) => ({ ...layer, settings: { ...layer.settings, country: variable } }));
  renderingOf('ten layers with a variable', withVariable);
}

function renderingOf(what: string, given: typeof layers): void {
  const full: Layer[] = given.map((layer, n) => ({ ...layer, id: String(n), optional: false, version: 1 }));
  const stack = new LayerStack(full, { ...noContext, variable: () => 'GB' });
  const declared = readDeclaredSettings({ settings });
  const rendered = (from: number) => {
    const before = process.cpuUsage();
    for (let n = from; n < from + agents; n++) stack.render({ ap_id: `ap-${n}`, site: null, tags: [] }, declared);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / agents;
  };
  const times = Array.from({ length: 7 }, (_, round) => rendered(round * agents)).sort((a, b) => a - b);
  tell(`rendering of an access point, ${what}, processor time`, times[3]!, 'µs', 20);
}

async function measurePreview(token: string): Promise<void> {
  const { id } = await ask(token, 'POST', '/config/change_sets', { title: 'bench', layers });
  const times: number[] = [];
  for (let round = 0; round < 6; round++) {
    const started = performance.now();
    const { changed } = await ask(token, 'POST', `/config/change_sets/${id}/preview`);
    if (changed !== agents) throw new Error(`${changed} of ${agents} would change`);
    times.push(performance.now() - started);
  }
  // The first reads what they declare, as after a start.
  const [first, ...others] = times;
  tell(`preview of a change for ${agents} access points, the first after a start`, first! / 1000, 's', 1);
  tell('the same again, median', others.sort((a, b) => a - b)[2]! / 1000, 's', 1);
}

async function measureRollout(token: string): Promise<void> {
  const network = await EmulatedNetwork.connect(weft.url);
  const spec = { access_point_type: 'WiFi' as const, num_access_points: emulated, locations: ['Bristol'] };
  await network.spinUp([{ ...spec, num_devices: 1, duration: 3600 }]);
  // A busy machine needs longer than the network is waited for.
  const selector = encodeURIComponent('emulated:true -state:never');
  for (const until = performance.now() + trySeconds * 1000; ; await pause(2)) {
    const { count } = await ask(token, 'GET', `/agents?selector=${selector}&count=true&limit=1`);
    if (count >= emulated) break;
    if (performance.now() > until) throw new Error(`only ${count} emulated access points have reported`);
  }
  const beside = async (work: () => Promise<void>) => {
    let posted: Posted | undefined;
    await whilePosting({ to: 'weft', url: weft.url, fleet }, work, (result) => {
      posted = result;
    });
    if (posted!.failures > 0) throw new Error(`${posted!.failures} posts failed`);
    return posted!;
  };
  await beside(() => pause(3));
  const alone = await beside(() => pause(seconds));
  let took = 0;
  let sentence = '';
  const during = await beside(async () => {
    const started = performance.now();
    const layer = { name: 'emulated', selector: 'name:emu-wifi-*', weight: 10, settings: { tx_power_dbm: 12 } };
    const { id } = await ask(token, 'POST', '/config/change_sets', { title: 'bench', layers: [layer] });
    const rollout = await ask(token, 'POST', `/config/change_sets/${id}/rollout`, {
      failure_limit: { agents: emulated },
    });
    for (const until = started + trySeconds * 1000; ; await pause(0.5)) {
      const now = await ask(token, 'GET', `/rollouts/${rollout.id}`);
      sentence = `${now.state}: ${now.sentence}`;
      if (now.state !== 'running' || performance.now() > until) break;
    }
    took = (performance.now() - started) / 1000;
  });
  const inMs = ({ p50Ms, p99Ms }: Posted) => `p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms`;
  figures.push({
    question: `a roll-out to ${emulated} emulated access points`,
    value: `${took.toFixed(0)} s; ${sentence}`,
  });
  figures.push({
    question: `${posting} posts a second beside it`,
    value: inMs(during),
    against: `${inMs(alone)} beside the same network without it`,
    goal: 'p99 at most twice',
    ok: during.p99Ms <= 2 * alone.p99Ms,
  });
}

function tell(question: string, value: number, unit: string, goal: number): void {
  figures.push({ question, value: `${value.toFixed(2)} ${unit}`, goal: `≤ ${goal} ${unit}`, ok: value <= goal });
  process.stderr.write(`${question}: ${value.toFixed(2)} ${unit}\n`);
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function ask(token: string, method: string, path: string, json?: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = json === undefined ? null : JSON.stringify(json);
  const response = await fetch(`${weft.url}/api/v1${path}`, { method, headers, body });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

async function login(): Promise<string> {
  const body = new URLSearchParams({ username: admin.WEFT_ADMIN_USERNAME, password: admin.WEFT_ADMIN_PASSWORD });
  const response = await fetch(`${weft.url}/api/v1/token/?login_type=user`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}

function pause(s: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, s * 1000));
}
