// The help texts of the command line. The settings in them come from the table of settings.
import { clientOverview } from '@weft/cli';
import { type Setting, settingGroups, settingKeys, settings } from '../settings.ts';

const topics: Record<string, () => string> = {
  serve: () => `Runs Weft until it is told to stop (Ctrl+C or SIGTERM).

Usage: weft serve [settings]

Examples:
  weft serve
  weft serve --port 9000 --data-dir /var/lib/weft
  weft serve --config /etc/weft/weft.env

${settingsHelp()}`,
  demo: () => `Runs Weft with an emulated network of twelve access points and a control program that saves energy, to look at
and to play with. Prints where to sign in. Keeps nothing, unless told where with --data-dir.

Usage: weft demo [--at PLACE] [settings]

Options:
  --at PLACE   a town or coordinates (default: Bristol)

Examples:
  weft demo
  weft demo --port 9000 --at "Graz, AT"
`,
  doctor: () => `Checks this machine, the settings and every backend, and says what to do about what is wrong.
Ends with 0 when all is well, else with 1.

Usage: weft doctor [--json] [settings]

Examples:
  weft doctor
  weft doctor --json --config /etc/weft/weft.env
`,
  user: () => `Manages the accounts of people, in the same database that weft serve uses.

Usage:
  weft user add EMAIL [--role admin|user] [--password-stdin]
  weft user list [--json]
  weft user set-password EMAIL [--password-stdin]
  weft user disable EMAIL
  weft user enable EMAIL

A user who is disabled is signed out everywhere and cannot sign in; what is theirs stays. The last enabled
administrator cannot be disabled.

Options:
  --role ROLE        what the new account may do (default: user)
  --password-stdin   read the password from standard input; without it the command asks
  --json             print JSON

Examples:
  weft user add ada@example.org --role admin
  weft user set-password ada@example.org --password-stdin < password.txt
  weft user list --json
  weft user disable bob@example.org
`,
  backup:
    () => `Writes one file with all that this Weft keeps in its data folder, as it is at this moment; a server may go on
writing meanwhile. What is in PostgreSQL or InfluxDB is not in it, nor is the secret unless told. The file can be read by
its owner only, and has its name only when it is whole. While it is made, its folder needs room for an unpacked copy.

Usage: weft backup [FILE|-] [--with-secret] [--json] [settings]

Options:
  --with-secret  put the secret in, too: whoever has the file can then sign tokens and read api keys
  --json         print what is in it: versions, and size and SHA-256 of each part

Examples:
  weft backup
  weft backup /mnt/backups/weft.tar.zst --data-dir /var/lib/weft
  weft backup - | ssh vault 'cat > weft.tar.zst'
`,
  restore:
    () => `Makes a data folder out of a backup. The folder appears when all of the backup was read and found whole, else
nothing changes. One that has something in it is refused, as is one that a server runs on.

Usage: weft restore FILE|- [--data-dir DIR] [--force] [--json] [settings]

Options:
  --force  move a folder that is in the way aside; nothing is deleted
  --json   print what was in the backup

Examples:
  weft restore weft.tar.zst --data-dir /var/lib/weft
  weft restore weft.tar.zst --force
`,
  audit:
    () => `Checks that no entry of the audit log was changed, removed, moved or put in. Prints how many there are and the
hash of the newest. Ends with 0 when the log is whole, else with 1.

Usage: weft audit verify [--head HASH] [--json] [settings]

Options:
  --head HASH   a hash noted earlier, which must still be in the log: finds one that was written anew
  --json        print JSON

Examples:
  weft audit verify
  weft audit verify --data-dir /var/lib/weft --head "$(cat noted-hash)"
`,
  conflicts:
    () => `Makes every decision about commands in the log again, under other rules, and says what would have differed;
or checks, as weft audit verify does, that the log is whole.

Usage:
  weft conflicts replay [--rules FILE] [--json] [settings]
  weft conflicts verify [--head HASH] [--json] [settings]

Options:
  --rules FILE  the rules as JSON, as GET /api/v1/conflicts/rules shows them; those that ship unless told
  --json        print JSON

Examples:
  weft conflicts replay --rules stricter.json
  weft conflicts verify
`,
  config: () => `Shows every setting as Weft would use it and where it comes from. Secrets are shown as ***.

Usage: weft config print [--json] [settings]

Examples:
  weft config print
  weft config print --json --config /etc/weft/weft.env
`,
};

export const helpTopics = Object.keys(topics);

export async function overview(): Promise<string> {
  return `Weft: one controller for 5G, WiFi and LiFi access points

Usage: weft COMMAND [options]

Use, as whoever is logged in
${await clientOverview()}
Run
  serve                        run the controller
  demo                         the same with an emulated network and a control program, to look at
  doctor                       check settings and backends, and say what is wrong

Keep
  backup [FILE]                write one file with all that this Weft keeps
  restore FILE                 make a data folder out of a backup

Accounts
  user add EMAIL               create an account
  user list                    list the accounts
  user set-password EMAIL      set a password; sessions signed in with the old one end

Audit
  audit verify                 check that nobody has been at the audit log
  conflicts replay             decide about all commands again, under other rules
  conflicts verify             the same as audit verify

Settings
  config print                 show every setting and where it comes from

Options
  -h, --help                   show help; weft help COMMAND shows that of a command
  -V, --version                show the version

Examples
  weft serve --port 9000
  weft user add ada@example.org --role admin
  weft help serve

Settings are flags (--port 9000), environment variables (WEFT_PORT=9000) or lines of a settings file
(weft.env, --config FILE or WEFT_CONFIG), in this order of strength. weft help serve lists them.
`;
}

/** The help on a command, or undefined if there is no such command. */
export function commandHelp([name = '']: string[]): string | undefined {
  return Object.hasOwn(topics, name) ? topics[name]!() : undefined;
}

function settingsHelp(): string {
  const rows: Setting[] = settingKeys.map((key) => settings[key]);
  const groups = settingGroups.map((group) => {
    const entries = rows.filter((row) => row.group === group).map(settingEntry);
    return `${group}\n${entries.join('')}`;
  });
  const file = `Settings file\n  --config FILE  (WEFT_CONFIG)\n${wrap('Lines NAME=value with the names in capitals. Without it, weft.env in this folder is read if it is there.')}`;
  const secrets = 'A secret has no flag. NAME_FILE gives the path of a file that holds it.';
  return `${[...groups, file].join('\n')}\n${secrets}\n`;
}

function settingEntry(row: Setting): string {
  const usage =
    row.flag === undefined ? `${row.name}, ${row.name}_FILE` : `--${row.flag} ${row.placeholder}  (${row.name})`;
  const fallback = row.default ? ` Default: ${row.default}` : '';
  return `  ${usage}\n${wrap(row.description + fallback)}`;
}

function wrap(text: string): string {
  const indent = '      ';
  const lines = [indent];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line !== indent && line.length + word.length > 100) lines.push(indent + word);
    else lines[lines.length - 1] = line === indent ? line + word : `${line} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}
