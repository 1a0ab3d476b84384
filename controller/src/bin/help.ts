// The help texts of the server's commands. The settings in them are generated from the table of settings.
import { clientOverview } from '@weft/cli';
import { type Setting, settingGroups, settingKeys, settings } from '../core/base/settings.ts';

const topics: Record<string, () => string> = {
  serve: () => `Runs Weft until it is stopped (Ctrl+C or SIGTERM).

Usage: weft serve [settings]

Examples:
  weft serve
  weft serve --port 9000 --data-dir /var/lib/weft
  weft serve --config /etc/weft/weft.env

${settingsHelp()}`,
  demo: () => `Runs Weft with an emulated network of twelve access points and a control program that saves energy, for
demonstration. Prints how to sign in. Deletes its data when it stops; with --data-dir the data is kept.

Usage: weft demo [--at PLACE] [settings]

Options:
  --at PLACE   a town or coordinates (default: Bristol)

Examples:
  weft demo
  weft demo --port 9000 --at "Graz, AT"
`,
  doctor: () => `Checks this machine, the settings and every backend, and prints advice for each problem.
Exit code: 0 if all checks pass, else 1.

Usage: weft doctor [--json] [settings]

Examples:
  weft doctor
  weft doctor --json --config /etc/weft/weft.env
`,
  run: () => `Runs a program with the Node that Weft runs on. It reads TypeScript, also where the Node of the machine is
older. What follows the file belongs to the program; the exit code is that of the program.

Usage: weft run FILE [ARGUMENT]...

Examples:
  weft run examples/two-programs/day.ts
`,
  env: () => `Runs emulated networks to learn in, without a server: frames on standard input and output, as weft_gym for
Python sends them. With judge, plays a task with policies and prints a row for each: the return and what it is made of, with
90 % intervals over the seeds for judging.

Usage:
  weft env
  weft env judge POLICY... [--task NAME] [--seeds N] [--json]

A policy is nothing, random, rules, or a file in Python or TypeScript with a function act(observation, mask).

Options:
  --task NAME   weft/energy-v1 or weft/channels-v1 (default: weft/energy-v1)
  --seeds N     episodes, at most 24 (default: 24)
  --json        print JSON

Examples:
  weft env judge nothing random rules
  weft env judge policy.py --task weft/channels-v1
`,
  user: () => `Manages user accounts, in the same database as weft serve.

Usage:
  weft user add EMAIL [--role admin|user] [--password-stdin]
  weft user list [--json]
  weft user set-password EMAIL [--password-stdin]
  weft user disable EMAIL
  weft user enable EMAIL
  weft user approve EMAIL

A disabled user is signed out everywhere and cannot sign in; jobs, networks and queued commands
of the user end. The last enabled administrator cannot be disabled.

Options:
  --role ROLE        role of the new account (default: user)
  --password-stdin   read the password from standard input (default: ask)
  --json             print JSON

Examples:
  weft user add ada@example.org --role admin
  weft user set-password ada@example.org --password-stdin < password.txt
  weft user list --json
  weft user disable bob@example.org
`,
  backup:
    () => `Writes one file with a consistent snapshot of the data folder; the server may keep running. Data in PostgreSQL or
ClickHouse is not included; the secret is not included by default. Only the owner can read the file, and it appears under
its name only when it is complete. Until then its folder needs space for an uncompressed copy.

Usage: weft backup [FILE|-] [--with-secret] [--json] [settings]

Options:
  --with-secret  include the secret: anyone who has the file can then sign tokens and read api keys
  --json         print the content: versions, and size and SHA-256 of each part

Examples:
  weft backup
  weft backup /mnt/backups/weft.tar.zst --data-dir /var/lib/weft
  weft backup - | ssh vault 'cat > weft.tar.zst'
`,
  restore:
    () => `Creates a data folder from a backup. The folder appears only when the whole backup was read and verified; after a
failure nothing is changed. A folder that is not empty or that a running server uses is rejected.

Usage: weft restore FILE|- [--data-dir DIR] [--force] [--forget-app-keys] [--json] [settings]

Options:
  --force            rename an existing folder first; nothing is deleted
  --forget-app-keys  the old secret is lost: apps whose keys cannot be read are named, and need new ones
  --json             print the content of the backup

Examples:
  weft restore weft.tar.zst --data-dir /var/lib/weft
  weft restore weft.tar.zst --force
`,
  migrate:
    () => `Moves an installation with the embedded stores to PostgreSQL, without losing a sample. The settings are those of the
cluster: WEFT_DATABASE_URL, WEFT_TELEMETRY_URL, and the WEFT_SECRET of the old installation. Copies telemetry while the old server
runs, then waits until you have stopped it; copies the rest, compares both sides, and prints counts and hashes. Start the new
servers when it has ended. May be ended at any time and run again.

Usage: weft migrate [--from DIR] [--json] [settings]

Options:
  --from DIR  the data folder of the old server (default: that of the settings)
  --json      print the counts and hashes as JSON

Examples:
  weft migrate --config /etc/weft/cluster.env
  weft migrate --config /etc/weft/cluster.env --from /var/lib/weft --data-dir /var/lib/weft-cluster
`,
  audit:
    () => `Verifies that no entry of the audit log was changed, removed, moved or inserted. Prints the number of entries and
the hash of the newest. Exit code: 0 if the log is intact, else 1.

Usage: weft audit verify [--head HASH] [--json] [settings]

Options:
  --head HASH   a hash stored earlier, which must still be in the log: detects a rewritten log
  --json        print JSON

Examples:
  weft audit verify
  weft audit verify --data-dir /var/lib/weft --head "$(cat noted-hash)"
`,
  conflicts: () => `Replays every decision about commands in the log with other rules, and prints the differences;
or verifies the log like weft audit verify.

Usage:
  weft conflicts replay [--rules FILE] [--json] [settings]
  weft conflicts verify [--head HASH] [--json] [settings]

Options:
  --rules FILE  the rules as JSON, in the format of GET /api/v1/conflicts/rules (default: the default rules)
  --json        print JSON

Examples:
  weft conflicts replay --rules stricter.json
  weft conflicts verify
`,
  config: () => `Shows the value and the source of every setting. Secrets are shown as ***.

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

Client commands, with the account of weft login
${await clientOverview()}
Server
  serve                        run the controller
  demo                         run it with an emulated network and a control program
  doctor                       check settings and backends
  run FILE                     run a program in TypeScript, such as those in examples
  env                          run emulated networks to learn in, without a server

Backup
  backup [FILE]                write a backup of the data folder to one file
  restore FILE                 create a data folder from a backup
  migrate                      move an installation to PostgreSQL, while it runs

Accounts
  user add EMAIL               create an account
  user list                    list the accounts
  user set-password EMAIL      set a password; earlier tokens are revoked
  user disable EMAIL           end the sessions of an account, and let it sign in no more
  user enable EMAIL            let it sign in again
  user approve EMAIL           let an account sign in that somebody asked for

Audit
  audit verify                 verify that the audit log was not changed
  conflicts replay             replay all decisions about commands with other rules
  conflicts verify             the same as audit verify

Settings
  config print                 show every setting and where it comes from

Options
  -h, --help                   show help; weft help COMMAND shows the help of a command
  -V, --version                show the version
      --no-color               no colours (also NO_COLOR=1)

Examples
  weft serve --port 9000
  weft user add ada@example.org --role admin
  weft help serve

Settings are flags (--port 9000), environment variables (WEFT_PORT=9000) or lines of a settings file
(weft.env, --config FILE or WEFT_CONFIG), in this order of precedence. weft help serve lists them.
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
  const file = `Settings file\n  --config FILE  (WEFT_CONFIG)\n${wrap('Lines NAME=value with the names in capitals. Default: weft.env in the current folder, if it exists.')}`;
  const secrets = 'A secret has no flag. NAME_FILE is the path of a file that contains it.';
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
