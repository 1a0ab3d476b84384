// docs/command-line.md, made from what the commands say about themselves.
import { clientCommandNames, clientHelp } from '@weft/cli';
import { commandHelp, helpTopics } from '../controller/src/bin/help.ts';

export async function commandLineDocument(): Promise<string> {
  const ofClient = await Promise.all(clientCommandNames.map(async (name) => section(name, (await clientHelp(name))!)));
  // The settings have a page of their own.
  const ofServer = helpTopics.map((name) => section(name, commandHelp([name])!.split('\n\nAddress\n')[0]!));
  return `${opening}\n## For people, scripts and access points\n\n${ofClient.join('\n')}\n## Beside the server\n\n${ofServer.join('\n')}`;
}

function section(name: string, help: string): string {
  return `### weft ${name}\n\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`;
}

const opening = `<!-- Made by scripts/generate-docs.ts from cli/src/commands and controller/src/bin/help.ts: change it there. -->
# The command line

In a checkout the command is \`npx weft\`. Elsewhere Weft hands it out as one file for Node 20 or newer, without what needs the server beside it:

\`\`\`text
curl -fsSO http://127.0.0.1:8000/install/weft.mjs
node weft.mjs --help
\`\`\`

What was asked for goes to standard output, everything said beside it to standard error. \`--json\` is for programs. Nothing is asked for where there is no terminal, and bars and colours are for terminals only.

| Exit code | Meaning |
|---|---|
| 0 | done |
| 1 | it did not work out; a sentence says why and what to try |
| 2 | the command line cannot be followed |
| 3 | Weft decided against a command: somebody else holds what it would change |
| 78 | settings that cannot be used |
| 130, 143 | interrupted |

Commands beside the server take every setting as a flag: see [configuration](configuration.md).
`;
