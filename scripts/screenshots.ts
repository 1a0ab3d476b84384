// `npm run screenshots` takes the pictures of the documents from a real Weft with a demo network and two apps in conflict, and
// writes down the headings that each shows: docs/screenshots. A test (screenshots.contract.test.ts) fails once a page has others.
// `npm run screenshots -- --all FOLDER [--only TEXT]` takes every page whole, its other views, and those of a Weft without anything, at
// three widths in both themes, to be looked at before a release.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Camera, everyForm, type Form, type Taken } from '../bench/harness/camera.ts';
import { admin } from '../bench/harness/emulated-network.ts';
import { furnish } from '../bench/harness/furnished-network.ts';
import { startWeft } from '../bench/harness/processes.ts';
import { ensureBuilt } from './build.mjs';

const root = resolve(import.meta.dirname, '..');
const { all, only = '' } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string' } } }).values;
const folder = all === undefined ? join(root, 'docs', 'screenshots') : resolve(all);
/** Which pages, in which forms. */
const ofDocuments: Record<string, readonly Form[]> = {
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
const routes = [...readFileSync(join(root, 'dashboard', 'src', 'routes.ts'), 'utf8').matchAll(/page\('([^']+)',/g)].map(
  ([, path]) => path!,
);
const publicPages = routes.slice(routes.indexOf('/sign-in'));
/** The same pages with something else on them. `click` names a button that is pressed before. */
const views = [
  ...['history', 'rules', 'silences'].map((view) => `/alarms?view=${view}`),
  ...['changes', 'rollouts', 'values'].map((view) => `/configuration?view=${view}`),
  ...['/alarms/rules/new', '/configuration/changes/new', '/conflicts?view=rules', '/commands?state=refused'],
  ...['/map?agent=:ap_id', '/map?device=:device', '/commands/new?agent=:ap_id', '/agents/:asleep?window=5m'],
  ...['/agents/:ap_id?click=What if', '/agents/:ap_id?click=Details', '/agents?click=Register', '/agents/ap-never'],
];
const pictures: Record<string, readonly Form[]> =
  all === undefined
    ? ofDocuments
    : Object.fromEntries([...routes, ...views].filter((path) => path.includes(only)).map((path) => [path, everyForm]));
await ensureBuilt();
const weft = await startWeft(admin);
const camera = await Camera.open(weft.url, folder);
try {
  if (all !== undefined) await takeBare();
  const params = await furnish(weft.url, { isWhole: all !== undefined });
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
  await camera.close();
  await weft.stop();
}

/** What a Weft shows without an administrator, before somebody signs in, and to the first one who does. */
async function takeBare(): Promise<void> {
  const fresh = await startWeft();
  await take('/first-run', {}, { address: `${fresh.url}/`, isSignedIn: false });
  await fresh.stop();
  for (const path of publicPages) await take(path, {}, { isSignedIn: false });
  for (const path of routes.filter((path) => !path.includes(':') && !publicPages.includes(path))) {
    await take(path, {}, { name: `empty-${nameOf(path)}`, inForms: ['light', 'phone'] });
  }
}

/** Resolves the headings of the page. */
async function take(path: string, params: Record<string, string>, taken: Taken = {}): Promise<string[]> {
  const [bare = '', click] = path.split('?click=');
  const there = bare.replaceAll(/\b(\w+[/=]):(\w+)/g, (_, before: string, name: string) => {
    return before + encodeURIComponent((params[before + name] ?? params[name])!);
  });
  const { address = weft.url + there + searchOf(bare, params), name = nameOf(path), isSignedIn = true } = taken;
  const { inForms = pictures[path] ?? everyForm } = taken;
  if (!name.includes(only.replaceAll(/\W+/g, '-'))) return [];
  const options = { name, address, click, isSignedIn, isWhole: all !== undefined };
  const headings = await camera.take(inForms, options);
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
function searchOf(path: string, { ap_id, other }: Record<string, string>): string {
  if (ap_id === undefined || other === undefined) return '';
  const agents = [ap_id, other].map(encodeURIComponent);
  if (path === '/compare') return `?agents=${agents}&metrics=connected_devices,power_w&window=5m`;
  return path === '/agents/:ap_id' || path === '/' || path === '/energy' ? '?window=5m' : '';
}

/** `/agents/:ap_id` is `agent`, `/emulator/:job_number` is `emulator-run`, `/alarms?view=rules` is `alarms-view-rules`. */
function nameOf(address: string): string {
  if (address === '/') return 'overview';
  const [path = '', view] = address.split('?');
  const after = view === undefined ? '' : `-${view.replaceAll(/\W+/g, '-')}`;
  const parts = path.split('/').filter(Boolean);
  if (!parts.at(-1)!.startsWith(':')) return parts.join('-') + after;
  const list = parts.slice(0, -1).join('-');
  return (list.endsWith('s') ? list.slice(0, -1) : `${list}-run`) + after;
}
