// `npm run screenshots` takes the pictures of the documents from a real Weft with a demo network and two apps in conflict, and
// writes down the headings that each shows: docs/screenshots. A test (screenshots.contract.test.ts) fails once a page has others.
// `npm run screenshots -- --all FOLDER` takes every page at three widths in both themes, to be looked at before a release.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { BenchBrowser } from '../bench/harness/browser.ts';
import { admin, EmulatedNetwork, pause } from '../bench/harness/emulated-network.ts';
import { startWeft } from '../bench/harness/processes.ts';
import { ensureBuilt } from './build.mjs';

const root = resolve(import.meta.dirname, '..');
const { all } = parseArgs({ options: { all: { type: 'string' } } }).values;
const folder = all === undefined ? join(root, 'docs', 'screenshots') : resolve(all);
/** Which pages, in which forms. */
const ofDocuments: Record<string, readonly (keyof typeof forms)[]> = {
  '/': ['light', 'dark', 'phone'],
  '/map': ['light'],
  '/agents': ['light'],
  '/agents/:ap_id': ['light', 'phone'],
  '/devices': ['light'],
  '/alarms': ['light'],
  '/incidents/:id': ['light'],
  '/energy': ['light'],
  '/configuration/rollouts/:id': ['light'],
  '/emulator/:job_number': ['light'],
  '/compare': ['light'],
  '/conflicts': ['light'],
  '/apps/:app_name': ['light'],
};
const laptop = { width: 1440, height: 900 };
const tablet = { width: 1024, height: 768 };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const forms = {
  light: { viewport: laptop, colorScheme: 'light' },
  dark: { viewport: laptop, colorScheme: 'dark' },
  tablet: { viewport: tablet, colorScheme: 'light' },
  'tablet-dark': { viewport: tablet, colorScheme: 'dark' },
  phone: { ...phone, colorScheme: 'light' },
  'phone-dark': { ...phone, colorScheme: 'dark' },
} as const;
const everyForm = Object.keys(forms) as (keyof typeof forms)[];
const addresses = readFileSync(join(root, 'dashboard', 'src', 'routes.ts'), 'utf8').matchAll(/page\('([^']+)',/g);
const pictures =
  all === undefined ? ofDocuments : Object.fromEntries([...addresses].map(([, path]) => [path!, everyForm] as const));
const maxBytes = 300 * 1024;
/** Time to collect data for charts. */
const historyMs = 60_000;
const settleMs = 1500;
const pages = new Map<string, Page>();

await ensureBuilt();
const weft = await startWeft(admin);
const browser = await BenchBrowser.open(weft.url);
try {
  const params = await prepare();
  if (all === undefined) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const texts = sourceTexts(join(root, 'dashboard', 'src'));
  const seen: Record<string, { page: string; headings: string[] }> = {};
  for (const path of Object.keys(pictures)) {
    const headings = await take(path, params);
    // Names of access points and the like are of this network alone.
    seen[nameOf(path)] = { page: path, headings: headings.filter((heading) => texts.includes(heading)) };
  }
  if (all === undefined) writeFileSync(join(folder, 'headings.json'), `${JSON.stringify(seen, null, 2)}\n`);
} finally {
  await browser.close();
  await weft.stop();
}

/** Values for the parameters in the addresses of pages; `id` of several kinds by what stands before it. */
async function prepare(): Promise<Record<string, string>> {
  const network = await EmulatedNetwork.connect(weft.url);
  const kind = (access_point_type: string) => ({
    access_point_type,
    num_access_points: 4,
    locations: ['Bristol'],
    num_devices: 10,
    duration: 3600,
  });
  const { job_number, ap_ids } = await network.spinUp(['5G', 'WiFi', 'LiFi'].map(kind));
  const ap_id = ap_ids[1]!;
  const saver = await app('energy-saver', 70);
  const balancer = await app('load-balancer', 50);
  const sites = ['uk/bristol/harbour', 'uk/bristol/campus'] as const;
  for (const path of ['uk', 'uk/bristol', ...sites]) await ask('POST', '/sites', { path });
  for (const [at, each] of ap_ids.entries())
    await ask('PATCH', `/agents/${each}/labels`, { site: sites[at % 2], tags: [at % 2 === 0 ? 'quay' : 'library'] });
  await ask('POST', `/emulator/${job_number}/faults`, {
    agent_id: ap_ids[5],
    kind: 'jammed_channel',
    seconds: 3000,
    amount: 30,
  });
  const layers = [{ name: 'Quay', selector: 'tag:quay', weight: 10, optional: true, settings: { tx_power_dbm: 17 } }];
  const set = await ask('POST', '/config/change_sets', { title: 'Less power on the quay', layers });
  const rollout = await ask('POST', `/config/change_sets/${set.id}/rollout`, {
    waves: [{ percent: 50 }, { percent: 100 }],
  });
  const draft = { ...layers[0], name: 'Library', selector: 'tag:library', settings: { tx_power_dbm: 18 } };
  const next = await ask('POST', '/config/change_sets', { title: 'Less power in the library', layers: [draft] });
  await pause(historyMs * 0.7);
  const { command_id } = (await send(saver, ap_id, 'sleep')) as { command_id: string };
  await pause(historyMs * 0.2);
  // Rejected: the other app holds the lease and has a higher priority.
  await send(balancer, ap_id, 'wake');
  await send(saver, ap_ids[4]!, '{"name":"set_tx_power","dbm":14}');
  await pause(historyMs * 0.1);
  const first = async (path: string, key: string) => String((await ask('GET', path)).items[0]?.[key]);
  return {
    // That with the jammed channel has a diagnosis.
    ap_id: ap_ids[5]!,
    job_number,
    command_id,
    app_name: 'energy-saver',
    device: await first('/devices?limit=1', 'device'),
    'rules/id': await first('/alarm_rules', 'id'),
    'changes/id': String(next.id),
    'rollouts/id': String(rollout.id),
    'incidents/id': await first('/incidents', 'id'),
    path: sites[0],
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
async function ask(method: string, path: string, json?: object): Promise<any> {
  const token = await login('user', admin.WEFT_ADMIN_USERNAME, admin.WEFT_ADMIN_PASSWORD);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = json && JSON.stringify(json);
  const answer = await fetch(`${weft.url}/api/v1${path}`, { method, headers, ...(body && { body }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function app(app_name: string, priority: number): Promise<string> {
  const api_key = `the key of ${app_name}`;
  const permissions = { agents: ['*'], commands: true, emulator: false, priority };
  await ask('POST', '/third_party_apps/', { app_name, api_key, permissions });
  return login('third_party_app', app_name, api_key);
}

async function login(kind: string, username: string, password: string): Promise<string> {
  const body = new URLSearchParams({ username, password });
  const answer = await fetch(`${weft.url}/api/v1/token/?login_type=${kind}`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function send(token: string, agent_id: string, command: string): Promise<unknown> {
  const query = new URLSearchParams({ agent_id, command, hold_seconds: '600' });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${weft.url}/api/v1/send_command?${query}`, { method: 'POST', headers });
  return answer.json();
}

/** Resolves the headings of the page. */
async function take(path: string, params: Record<string, string>): Promise<string[]> {
  const address =
    path.replaceAll(/\b(\w+\/):(\w+)/g, (_, before: string, name: string) => {
      return before + encodeURIComponent((params[before + name] ?? params[name])!);
    }) + searchOf(path, params);
  let headings: string[] = [];
  for (const form of pictures[path]!) {
    const file = join(folder, `${nameOf(path)}-${form}.png`);
    const page = pages.get(form) ?? (await (await browser.context(forms[form])).newPage());
    pages.set(form, page);
    await page.goto(browser.address(address));
    await settle(page);
    await page.screenshot({ path: file });
    if (form === 'light') headings = await page.getByRole('heading').allInnerTexts();
    const bytes = statSync(file).size;
    if (all === undefined && bytes > maxBytes)
      throw new Error(`${file} has ${bytes} bytes; the maximum is ${maxBytes}`);
  }
  process.stdout.write(`${path}: ${headings.join(', ')}\n`);
  return headings;
}

function sourceTexts(from: string): string {
  const paths = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /(?<!\.test)\.tsx?$/.test(path),
  );
  return paths.map((path) => readFileSync(join(from, path), 'utf8')).join('\n');
}

/** Pages that need a query to show something. */
function searchOf(path: string, { ap_id }: Record<string, string>): string {
  const agent = encodeURIComponent(ap_id!);
  if (path === '/compare')
    return `?agents=${agent},${agent.replace(/-\d+$/, '-3')}&metrics=connected_devices,power_w&window=5m`;
  return path === '/agents/:ap_id' || path === '/' ? '?window=5m' : '';
}

/** `/agents/:ap_id` is `agent`, `/emulator/:job_number` is `emulator-run`. */
function nameOf(path: string): string {
  if (path === '/') return 'overview';
  const parts = path.split('/').filter(Boolean);
  if (!parts.at(-1)!.startsWith(':')) return parts.join('-');
  const list = parts.slice(0, -1).join('-');
  return list.endsWith('s') ? list.slice(0, -1) : `${list}-run`;
}

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  while ((await page.locator('.skeleton').count()) > 0) await pause(100);
  await pause(settleMs);
}
