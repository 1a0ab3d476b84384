// docs/configuration.md, made from the table of settings.
import { type Setting, settingGroups, settingKeys, settings } from '../controller/src/settings.ts';

export function configurationDocument(): string {
  const rows: Setting[] = settingKeys.map((key) => settings[key]);
  const groups = settingGroups.map((group) => {
    const lines = rows.filter((row) => row.group === group).map(tableLine);
    return `## ${group}\n\n| Setting | Flag | Default | Meaning |\n|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `${opening}\n${groups.join('\n')}`;
}

function tableLine(row: Setting): string {
  const name = row.secret ? `\`${row.name}\`, \`${row.name}_FILE\`` : `\`${row.name}\``;
  const flag = row.flag === undefined ? 'none: secret' : `\`--${row.flag}\``;
  const fallback = row.default ? `\`${row.default}\`` : '';
  return `| ${name} | ${flag} | ${fallback} | ${row.description.replaceAll('|', '\\|')} |`;
}

const opening = `<!-- Made by scripts/generate-docs.ts from controller/src/settings.ts: change it there. -->
# Configuration

Weft runs without any setting. Each can be given in three places; the first that has it wins:

1. a flag: \`weft serve --port 9000\` (\`npm start -- --port 9000\`)
2. an environment variable: \`WEFT_PORT=9000\`
3. a line of the settings file: \`WEFT_PORT=9000\`. The file is \`weft.env\` in the current folder, or what \`--config\` or
   \`WEFT_CONFIG\` names. \`#\` begins a comment.

A secret has no flag, because everybody on a machine can read its command lines. It can be given as \`NAME_FILE\`
instead: the path of a file that holds it. The file of a signing secret must not be readable by everybody, except
below \`/run/secrets/\`, where container runtimes choose the mode. Make a signing secret with \`openssl rand -base64 48\`.

Settings that cannot be used stop the start: all of them are listed, one line each, and the exit code is 78. An unknown
name is an error in the settings file and among the flags, and a warning in the environment.

\`weft config print\` shows every setting and where it comes from; \`weft doctor\` tries them out.
`;
