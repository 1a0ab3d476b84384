// `weft agent`: the program on an access point, and the lines that install it.

import { runAccessPointAgent } from '../access-point/access-point-agent.ts';
import { agentOptions, readAgentSettings } from '../access-point/agent-settings.ts';
import { thisMachine } from '../access-point/machine/machine.ts';
import { type Command, jsonOption, requireOptions } from '../command.ts';
import { identityHelp } from '../connection.ts';
import { interruptionOf, UsageError } from '../surroundings.ts';
import { installAgent } from './agent-command-install.ts';
import { makeLine, makeLines } from './agent-command-lines.ts';

/** Of the agent, and of the lines that install one. */
const ofAgent = ['url', 'interval', 'allow', 'link', 'commands-dir', 'set'] as const;
const here = [...ofAgent, 'ap-id', 'certificate', 'enrolment-token-file', 'config'] as const;
const elsewhere = [...ofAgent, 'agent-url', 'expires-in', 'json'] as const;

const onlyFor = {
  run: [...here, 'spool-dir'],
  install: [...here, 'fingerprint', 'root', 'no-start', 'print-unit'],
  line: [...elsewhere, 'replace'],
  import: elsewhere,
} as const;
type Action = keyof typeof onlyFor;

export const agentCommand: Command = {
  summary: 'run the agent of this access point; create install lines for others',
  usage: [
    'agent run --url URL --ap-id ID [--link] [options]',
    'agent install --url URL --ap-id ID [options] [--root DIR] [--no-start] [--print-unit]',
    'agent line AP_ID [--replace] [--agent-url URL] [--expires-in DAYS] [--set KEY=VALUE] [--allow LIST] [--json]',
    'agent import FILE.csv [--agent-url URL] [--expires-in DAYS] [--set KEY=VALUE] [--allow LIST] [--json]',
  ],
  about:
    'run reports measurements of this machine and executes the commands that --allow permits, until it is stopped. install installs it as ' +
    'a systemd service. line and import create an enrolment token for each access point and print the line to paste into its ' +
    'shell. import reads a table with a column ap_id; other columns become configuration (- reads standard input). ' +
    `line and import are for administrators. ${identityHelp}`,
  options: {
    ...agentOptions,
    'spool-dir': {
      value: 'DIR',
      about: 'folder for unsent reports and the password; default: the state folder (WEFT_AGENT_SPOOL_DIR)',
    },
    config: { value: 'FILE', about: 'settings file with lines NAME=value, names in capitals' },
    fingerprint: {
      value: 'SHA256',
      about: 'of the certificate to trust, if no authority has signed it; fetched at installation',
    },
    root: { value: 'DIR', about: 'install below this folder and start nothing, to build images' },
    'no-start': { about: 'install without starting' },
    'print-unit': { about: 'print the service unit and exit' },
    replace: {
      about: 'for a machine that takes over from another one: new credentials, the old ones end, the history stays',
    },
    'agent-url': { value: 'URL', about: 'address of Weft for access points; default: --url' },
    'expires-in': { value: 'DAYS', about: 'how long a line is valid, 1 to 365 (default: 7)' },
    ...jsonOption,
  },
  examples: [
    'agent line ap-roof-1 --set site=uk/bristol/roof --allow set_tx_power',
    'agent import access-points.csv --agent-url https://weft.example.org > lines.csv',
    'agent run --url https://weft.example.org --ap-id ap-roof-1',
    'agent install --url https://weft.example.org --ap-id ap-roof-1 --print-unit',
  ],
  async run(line, around) {
    // `weft agent --link` is short for `weft agent run --link`.
    const [action = line.has('link') ? 'run' : '', ...words] = line.words;
    if (action === '') throw new UsageError('Usage: weft agent run, install, line or import.');
    requireOptions(line, `agent ${action}`, onlyFor[action as Action]);
    switch (action as Action) {
      case 'install':
        return installAgent(line, around);
      case 'line':
        return makeLine(words[0]!, line, around);
      case 'import':
        return makeLines(words[0]!, line, around);
      case 'run': {
        const settings = readAgentSettings(line, around.env);
        const say = (text: string) => around.stderr.write(`weft agent: ${text}\n`);
        const machine = { ...thisMachine, runtimeDir: around.env.RUNTIME_DIRECTORY?.split(':')[0] };
        await runAccessPointAgent({ settings, machine, say, signal: interruptionOf(around) });
        return;
      }
    }
  },
};
