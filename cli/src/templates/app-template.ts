// The files of a new control program.
import ownPackage from '../../package.json' with { type: 'json' };
import type { Template } from './template.ts';

export const appTemplate: Template = ({ name, url }) => ({
  'app.mjs': `// @ts-check
// ${name}: reads and controls the network. Documentation of App: node_modules/@weft/sdk/README.md
import { App, CommandConflict } from '@weft/sdk';

const { WEFT_URL = '${url}', WEFT_APP_NAME = '${name}', WEFT_APP_KEY = '' } = process.env;
const app = new App({ url: WEFT_URL, name: WEFT_APP_NAME, key: WEFT_APP_KEY });

const asleep = new Set();

// Live samples of all access points; emulated access points have these metrics.
for await (const { ap_id, metrics } of app.live()) {
  const { power_w, connected_devices } = metrics;
  console.log(ap_id, \`\${power_w} W\`, \`\${connected_devices} devices\`);
  if (!(connected_devices <= 3) || asleep.has(ap_id)) continue;

  asleep.add(ap_id);
  try {
    const command = await app.command(ap_id, 'sleep', {}, { holdSeconds: 60 });
    console.log(ap_id, 'sleep', (await command.result()).state);
  } catch (error) {
    if (!(error instanceof CommandConflict)) throw error;
    console.log(ap_id, 'is held by', error.rival?.caller_name, 'until', error.leaseUntil);
  }
}
`,
  '.env': undefined,
  'package.json': packageJson(name, url, 'app.mjs'),
  'README.md': `# ${name}

A control program for Weft.

\`\`\`sh
npm install     # downloads the SDK from Weft at ${url}
npm start       # runs app.mjs with the settings in .env
\`\`\`

\`.env\` contains the address of Weft and the key of the app. Keep it secret. If there are no access points yet, create some with \`weft emulate\`.
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
