// The files of a new agent for an access point.
import { packageJson } from './app-template.ts';
import type { Template } from './template.ts';

export const agentTemplate: Template = ({ name, url }) => ({
  'agent.mjs': `// @ts-check
// ${name}: speaks for an access point. What Agent can do: node_modules/@weft/sdk/README.md
import { Agent } from '@weft/sdk';

const { WEFT_URL = '${url}', WEFT_AP_ID = '${name}', WEFT_AP_PASSWORD = '', WEFT_ENROLMENT_TOKEN } = process.env;
let dbm = 20;

const agent = new Agent({
  url: WEFT_URL,
  ap_id: WEFT_AP_ID,
  password: WEFT_AP_PASSWORD,
  // Registers the access point with its first start; of no use afterwards.
  ...(WEFT_ENROLMENT_TOKEN && { enrolmentToken: WEFT_ENROLMENT_TOKEN }),
  configuration: { access_point_type: 'WiFi' },
  // What cannot be sent waits here.
  spoolDir: './spool',
  onError: (error) => console.error(error.message),
})
  .metric('tx_power_dbm', { label: 'Tx power', unit: 'dBm' })
  .metric('temperature_c', { label: 'Temperature', unit: '°C' })
  .command({ name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 23 } } }, (wanted) => {
    // Here the radio is told.
    dbm = Math.round(wanted.dbm ?? dbm);
    console.log('set_tx_power', dbm);
    return { applied: { dbm } };
  });

await agent.start();
console.log(\`\${WEFT_AP_ID} is connected to \${WEFT_URL}\`);
const reporting = setInterval(() => {
  // Here the radio is asked.
  agent.post({ tx_power_dbm: dbm, temperature_c: 40 + Math.random() }).catch((error) => console.error(error.message));
}, 1000);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    clearInterval(reporting);
    await agent.stop();
    process.exit(0);
  });
}
`,
  '.env': undefined,
  'package.json': packageJson(name, url, 'agent.mjs'),
  'README.md': `# ${name}

An agent: the part of an access point that talks to Weft.

\`\`\`sh
npm install     # fetches the SDK from Weft at ${url}
npm start       # runs agent.mjs with the settings in .env
\`\`\`

\`.env\` holds where Weft is and the password of the access point; keep it to yourself.
`,
  '.gitignore': 'node_modules\n.env\nspool\n',
});
