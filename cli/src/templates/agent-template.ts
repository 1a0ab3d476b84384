// The files of a new agent for an access point.
import { packageJson } from './app-template.ts';
import type { Template } from './template.ts';

export const agentTemplate: Template = ({ name, url }) => ({
  'agent.mjs': `// @ts-check
// ${name}: the agent of an access point. Documentation of Agent: node_modules/@weft/sdk/README.md
import { Agent } from '@weft/sdk';

const { WEFT_URL = '${url}', WEFT_AP_ID = '${name}', WEFT_AP_PASSWORD = '', WEFT_ENROLMENT_TOKEN } = process.env;
let dbm = 20;

const agent = new Agent({
  url: WEFT_URL,
  ap_id: WEFT_AP_ID,
  password: WEFT_AP_PASSWORD,
  // Registers the access point at the first start; not used afterwards.
  ...(WEFT_ENROLMENT_TOKEN && { enrolmentToken: WEFT_ENROLMENT_TOKEN }),
  configuration: { access_point_type: 'WiFi' },
  // Unsent reports wait here.
  spoolDir: './spool',
  onError: (error) => console.error(error.message),
})
  .metric('tx_power_dbm', { label: 'Tx power', unit: 'dBm' })
  .metric('temperature_c', { label: 'Temperature', unit: '°C' })
  .command({ name: 'set_tx_power', params: { dbm: { type: 'number', minimum: 0, maximum: 23 } } }, (wanted) => {
    // Set the transmit power of your radio here.
    dbm = Math.round(wanted.dbm ?? dbm);
    console.log('set_tx_power', dbm);
    return { applied: { dbm } };
  });

await agent.start();
console.log(\`\${WEFT_AP_ID} is connected to \${WEFT_URL}\`);
const reporting = setInterval(() => {
  // Read the values of your radio here.
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

An agent: the program on an access point that talks to Weft.

\`\`\`sh
npm install     # downloads the SDK from Weft at ${url}
npm start       # runs agent.mjs with the settings in .env
\`\`\`

\`.env\` contains the address of Weft and the password of the access point. Keep it secret.
`,
  '.gitignore': 'node_modules\n.env\nspool\n',
});
