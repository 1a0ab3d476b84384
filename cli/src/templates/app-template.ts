// The files of a new control program: an energy saver that keeps the coverage and does not oscillate.
import ownPackage from '../../package.json' with { type: 'json' };
import type { Template } from './template.ts';

export const appTemplate: Template = ({ name, url }) => ({
  'app.mjs': `// @ts-check
// ${name}: reads and controls the network. Documentation of App: node_modules/@weft/sdk/README.md
import { App, CommandConflict, Fleet, cellMetrics } from '@weft/sdk';
import { decide } from './decide.mjs';

const { WEFT_URL = '${url}', WEFT_APP_NAME = '${name}', WEFT_APP_KEY = '' } = process.env;
const app = new App({ url: WEFT_URL, name: WEFT_APP_NAME, key: WEFT_APP_KEY });
const fleet = new Fleet();
let isBusy = false;

const agents = await app.agents();
fleet.learn(agents);
console.log(\`\${WEFT_APP_NAME} watches \${agents.length} access points of \${WEFT_URL}, and says here what it changes\`);

// Live samples of all access points; emulated access points have these metrics.
for await (const sample of app.live({ metrics: cellMetrics })) {
  if (!fleet.hear(sample)) fleet.learn(await app.agents());
  // One change at a time: the next one is decided by what this one has done.
  const change = isBusy ? undefined : decide(fleet.cells(), fleet.nowMs);
  if (!change) continue;
  isBusy = true;
  send(change).finally(() => {
    isBusy = false;
  });
}

/** @param {import('./decide.mjs').Change} change */
async function send({ ap_id, name, because }) {
  try {
    const command = await app.command(ap_id, name, {}, { holdSeconds: 60 });
    // Not only until the access point has said yes: until its measurements show it.
    const { state } = await command.settled();
    console.log(ap_id, name, state, \`(\${because})\`);
  } catch (error) {
    // Somebody else holds it, or it takes longer than usual: decided about again with the next samples.
    console.log(ap_id, name, error instanceof CommandConflict ? error.reason : error);
  }
}
`,
  'decide.mjs': `// @ts-check
// What to change next: at most one access point. No clock and no network in here, so that it can be tested.
import { helpersOf } from '@weft/sdk';

// Two limits instead of one: between them nothing changes, so that a load near a limit does not switch it on and off.
const idleBelow = 0.15;
const busyAbove = 0.5;
/** After a change an access point is left alone for this long. */
const restMs = 120_000;

/** @typedef {{ ap_id: string, name: 'sleep' | 'wake', because: string }} Change */

/**
 * @param {import('@weft/sdk').Cell[]} cells
 * @param {number} nowMs
 * @returns {Change | undefined}
 */
export function decide(cells, nowMs) {
  const helpers = helpersOf(cells);
  /** @param {import('@weft/sdk').Cell} cell */
  const awakeHelpers = (cell) => (helpers.get(cell.ap_id) ?? []).filter(({ isAwake }) => isAwake);
  const rested = cells.filter(({ sinceMs }) => nowMs - sinceMs >= restMs);

  // Coverage comes first: whoever takes over for a sleeping access point must serve everybody, and have room.
  for (const cell of rested) {
    if (cell.isAwake) continue;
    const near = awakeHelpers(cell);
    const troubled = near.find(({ load, served, connected }) => load > busyAbove || served < connected);
    if (near.length === 0) return { ap_id: cell.ap_id, name: 'wake', because: 'no neighbour is awake' };
    if (troubled) return { ap_id: cell.ap_id, name: 'wake', because: \`\${troubled.ap_id} has too much to do\` };
  }

  for (const cell of rested) {
    if (!cell.isAwake || cell.load > idleBelow) continue;
    const near = awakeHelpers(cell);
    // One that was woken a moment ago was needed.
    const steady = near.filter((other) => rested.includes(other));
    const hasRoom = steady.some(({ load, served, connected }) => load + cell.load <= busyAbove / 2 && served >= connected);
    // Others sleep because this one is awake.
    const isNeeded = cells.some((other) => !other.isAwake && awakeHelpers(other).every((one) => one === cell));
    if (hasRoom && !isNeeded) return { ap_id: cell.ap_id, name: 'sleep', because: \`load \${cell.load.toFixed(2)}\` };
  }
  return undefined;
}
`,
  '.env': undefined,
  'package.json': packageJson(name, url, 'app.mjs'),
  'README.md': `# ${name}

A control program for Weft: it sends idle access points to sleep while a neighbour can serve their devices, and wakes them when that changes.

\`\`\`sh
npm install     # downloads the SDK from Weft at ${url}
npm start       # runs app.mjs with the settings in .env
\`\`\`

\`decide.mjs\` is the part to change; \`@weft/sdk/testing\` is a Weft in memory for its tests. \`.env\` contains the address of Weft and the key of the app. Keep it secret. If there are no access points yet, create some with \`weft emulate\`.
`,
  '.gitignore': 'node_modules\n.env\n',
});

export function packageJson(name: string, url: string, program: string): string {
  const json = {
    name: name.toLowerCase().replaceAll(/[^a-z0-9._-]/g, '-'),
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.6' },
    scripts: { start: `node --env-file=.env ${program}` },
    dependencies: { '@weft/sdk': `${url}/install/weft-sdk-${ownPackage.version}.tgz` },
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}
