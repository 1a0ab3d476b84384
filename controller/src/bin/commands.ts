// The `weft` of the server: the client commands and its own, and how their errors are reported. The code of a command is
// loaded when it is run: help must not wait for a server.
import { clientCommands, exitCode, jsonOption, runWeft, type Surroundings, type Weft, wrap } from '@weft/cli';
import { productOf } from '@weft/contract/product';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError } from '../core/base/config.ts';
import { StartError, ValidationError, WeftError } from '../core/base/errors.ts';
import { type Setting, settingGroups, settingRows } from '../core/base/settings.ts';
import { settingOptions } from './read-config.ts';

const serverCommands: Weft['commands'] = {
  Server: {
    serve: {
      summary: { serve: 'run the controller' },
      usage: ['serve [settings]'],
      about: 'Runs Weft until it is stopped (Ctrl+C or SIGTERM).',
      options: settingOptions,
      examples: ['serve', 'serve --port 9000 --data-dir /var/lib/weft', 'serve --config /etc/weft/weft.env'],
      reference: settingsHelp,
      run: async (line, around) => (await import('./serve-command.ts')).serveCommand(line, around),
    },
    demo: {
      summary: { demo: 'run it with an emulated network and a control program' },
      usage: ['demo [--at PLACE] [settings]'],
      about: `Runs Weft with an emulated network of twelve access points and a control program that saves energy, \
for demonstration. Prints how to sign in. Deletes its data when it stops; with --data-dir the data is kept.`,
      options: { at: { value: 'PLACE', about: 'a town or coordinates (default: Bristol)' }, ...settingOptions },
      examples: ['demo', 'demo --port 9000 --at "Graz, AT"'],
      run: async (line, around) => (await import('./demo-command.ts')).demoCommand(line, around),
    },
    doctor: {
      summary: { doctor: 'check settings and backends' },
      usage: ['doctor [--json] [settings]'],
      about: `Checks this machine, the settings and every backend, and prints advice for each problem.
Exit code: 0 if all checks pass, else 1.`,
      options: { ...jsonOption, ...settingOptions },
      examples: ['doctor', 'doctor --json --config /etc/weft/weft.env'],
      run: async (line, around) => (await import('./doctor-command.ts')).doctorCommand(line, around),
    },
    run: {
      summary: { 'run FILE': 'run a program in TypeScript, such as those in examples' },
      usage: ['run FILE [ARGUMENT]...'],
      about: `Runs a program with the Node that Weft runs on. It reads TypeScript, also where the Node of the \
machine is older. What follows the file belongs to the program; the exit code is that of the program.`,
      options: {},
      examples: ['run examples/two-programs/day.ts'],
      passesOn: true,
      run: async (line, around) => (await import('./run-command.ts')).runFileCommand(line, around),
    },
    env: {
      summary: { env: 'run emulated networks to learn in, without a server' },
      usage: ['env', 'env judge POLICY... [--task NAME] [--seeds N] [--json]'],
      about: `Runs emulated networks to learn in, without a server: frames on standard input and output, as \
weft_gym for Python sends them. With judge, plays a task with policies and prints a row for each: the return and \
what it is made of, with 90 % intervals over the seeds for judging.
A policy is nothing, random, rules, or a file in Python or TypeScript with a function act(observation, mask).`,
      options: {
        task: { value: 'NAME', about: 'weft/energy-v1 or weft/channels-v1 (default: weft/energy-v1)' },
        seeds: { value: 'N', about: 'episodes, at most 24 (default: 24)' },
        ...jsonOption,
      },
      examples: ['env judge nothing random rules', 'env judge policy.py --task weft/channels-v1'],
      run: async (line, around) => (await import('./env-command.ts')).envCommand(line, around),
    },
  },
  Backup: {
    backup: {
      summary: { 'backup [FILE]': 'write a backup of the data folder to one file' },
      usage: ['backup [FILE|-] [--with-secret] [--json] [settings]'],
      about: `Writes one file with a consistent snapshot of the data folder; the server may keep running. Data in \
PostgreSQL or ClickHouse is not included; the secret is not included by default. Only the owner can read the file, \
and it appears under its name only when it is complete. Until then its folder needs space for an uncompressed copy.`,
      options: {
        'with-secret': { about: 'include the secret: anyone who has the file can then sign tokens and read api keys' },
        json: { about: 'print the content: versions, and size and SHA-256 of each part' },
        ...settingOptions,
      },
      examples: [
        'backup',
        'backup /mnt/backups/weft.tar.zst --data-dir /var/lib/weft',
        "backup - | ssh vault 'cat > weft.tar.zst'",
      ],
      run: async (line, around) => (await import('./backup-command.ts')).backupCommand(line, around),
    },
    restore: {
      summary: { 'restore FILE': 'create a data folder from a backup' },
      usage: ['restore FILE|- [--data-dir DIR] [--force] [--forget-app-keys] [--json] [settings]'],
      about: `Creates a data folder from a backup. The folder appears only when the whole backup was read and \
verified; after a failure nothing is changed. A folder that is not empty or that a running server uses is rejected.`,
      options: {
        force: { about: 'rename an existing folder first; nothing is deleted' },
        'forget-app-keys': {
          about: 'the old secret is lost: apps whose keys cannot be read are named, and need new ones',
        },
        json: { about: 'print the content of the backup' },
        ...settingOptions,
      },
      examples: ['restore weft.tar.zst --data-dir /var/lib/weft', 'restore weft.tar.zst --force'],
      run: async (line, around) => (await import('./backup-command.ts')).restoreCommand(line, around),
    },
    migrate: {
      summary: { migrate: 'move an installation to PostgreSQL, while it runs' },
      usage: ['migrate [--from DIR] [--json] [settings]'],
      about: `Moves an installation with the embedded stores to PostgreSQL, without losing a sample. The settings \
are those of the cluster: WEFT_DATABASE_URL, WEFT_TELEMETRY_URL, and the WEFT_SECRET of the old installation. \
Copies telemetry while the old server runs, then waits until you have stopped it; copies the rest, compares both \
sides, and prints counts and hashes. Start the new servers when it has ended. May be ended at any time and run \
again.`,
      options: {
        from: { value: 'DIR', about: 'the data folder of the old server (default: that of the settings)' },
        json: { about: 'print the counts and hashes as JSON' },
        ...settingOptions,
      },
      examples: [
        'migrate --config /etc/weft/cluster.env',
        'migrate --config /etc/weft/cluster.env --from /var/lib/weft --data-dir /var/lib/weft-cluster',
      ],
      run: async (line, around) => (await import('./migrate-command.ts')).migrateCommand(line, around),
    },
  },
  Accounts: {
    user: {
      summary: {
        'user add EMAIL': 'create an account',
        'user list': 'list the accounts',
        'user set-password EMAIL': 'set a password; earlier tokens are revoked',
        'user disable EMAIL': 'end the sessions of an account, and let it sign in no more',
        'user enable EMAIL': 'let it sign in again',
        'user approve EMAIL': 'let an account sign in that somebody asked for',
      },
      usage: [
        'user add EMAIL [--role admin|user] [--password-stdin]',
        'user list [--json]',
        'user set-password EMAIL [--password-stdin]',
        'user disable EMAIL',
        'user enable EMAIL',
        'user approve EMAIL',
      ],
      about: `Manages user accounts, in the same database as weft serve.
A disabled user is signed out everywhere and cannot sign in; jobs, networks and queued commands of the user end. \
The last enabled administrator cannot be disabled.`,
      options: {
        role: { value: 'ROLE', about: 'role of the new account (default: user)' },
        'password-stdin': { about: 'read the password from standard input (default: ask)' },
        ...jsonOption,
        ...settingOptions,
      },
      examples: [
        'user add ada@example.org --role admin',
        'user set-password ada@example.org --password-stdin < password.txt',
        'user list --json',
        'user disable bob@example.org',
      ],
      run: async (line, around) => (await import('./user-command.ts')).userCommand(line, around),
    },
  },
  Audit: {
    audit: {
      summary: { 'audit verify': 'verify that the audit log was not changed' },
      usage: ['audit verify [--head HASH] [--json] [settings]'],
      about: `Verifies that no entry of the audit log was changed, removed, moved or inserted. Prints the number of \
entries and the hash of the newest. Exit code: 0 if the log is intact, else 1.`,
      options: {
        head: {
          value: 'HASH',
          about: 'a hash stored earlier, which must still be in the log: detects a rewritten log',
        },
        ...jsonOption,
        ...settingOptions,
      },
      examples: ['audit verify', 'audit verify --data-dir /var/lib/weft --head "$(cat noted-hash)"'],
      run: async (line, around) => (await import('./audit-command.ts')).auditCommand(line, around),
    },
    conflicts: {
      summary: {
        'conflicts replay': 'replay all decisions about commands with other rules',
        'conflicts verify': 'the same as audit verify',
      },
      usage: [
        'conflicts replay [--rules FILE] [--json] [settings]',
        'conflicts verify [--head HASH] [--json] [settings]',
      ],
      about: `Replays every decision about commands in the log with other rules, and prints the differences; or \
verifies the log like weft audit verify.`,
      options: {
        rules: {
          value: 'FILE',
          about: 'the rules as JSON, in the format of GET /api/v1/conflicts/rules (default: the default rules)',
        },
        head: { value: 'HASH', about: 'as of weft audit verify' },
        ...jsonOption,
        ...settingOptions,
      },
      examples: ['conflicts replay --rules stricter.json', 'conflicts verify'],
      run: async (line, around) => (await import('./conflicts-command.ts')).conflictsCommand(line, around),
    },
  },
  Settings: {
    config: {
      summary: { 'config print': 'show every setting and where it comes from' },
      usage: ['config print [--json] [settings]'],
      about: 'Shows the value and the source of every setting. Secrets are shown as ***.',
      options: { ...jsonOption, ...settingOptions },
      examples: ['config print', 'config print --json --config /etc/weft/weft.env'],
      run: async (line, around) => (await import('./config-command.ts')).configCommand(line, around),
    },
  },
};

export const weft: Weft = {
  product: productOf(packageJson),
  commands: { 'Client commands, with the account of weft login': clientCommands, ...serverCommands },
  closing: `Options
  -h, --help                   show help; weft help COMMAND shows the help of a command
  -V, --version                show the version
      --no-color               no colours (also NO_COLOR=1)

Examples
  weft serve --port 9000
  weft user add ada@example.org --role admin
  weft help serve

Settings are flags (--port 9000), environment variables (WEFT_PORT=9000) or lines of a settings file
(weft.env, --config FILE or WEFT_CONFIG), in this order of precedence. weft help serve lists them.
`,
  tell,
};

/** Runs one command line and resolves its exit code. */
export function runCommand(args: string[], around: Surroundings): Promise<number> {
  return runWeft(weft, args, around);
}

function tell(error: unknown, { stderr }: Surroundings): number | undefined {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) stderr.write(`weft: ${problem}\n`);
    return exitCode.configuration;
  }
  if (error instanceof ValidationError) {
    for (const { loc, msg } of error.problems) stderr.write(`weft: ${loc.slice(1).join('.')}: ${msg}\n`);
    return exitCode.failure;
  }
  if (!(error instanceof StartError || error instanceof WeftError)) return undefined;
  stderr.write(`weft: ${error.message}\n`);
  return exitCode.failure;
}

function settingsHelp(): string {
  const groups = settingGroups.map((group) => {
    const entries = settingRows.filter((row) => row.group === group).map(settingEntry);
    return `${group}\n${entries.join('')}`;
  });
  const lines = 'Lines NAME=value with the names in capitals. Default: weft.env in the current folder, if it exists.';
  const file = `Settings file\n  --config FILE  (WEFT_CONFIG)\n${described(lines)}`;
  const secrets = 'A secret has no flag. NAME_FILE is the path of a file that contains it.';
  return `${[...groups, file].join('\n')}\n${secrets}\n`;
}

function settingEntry(row: Setting): string {
  const usage =
    row.flag === undefined ? `${row.name}, ${row.name}_FILE` : `--${row.flag} ${row.placeholder}  (${row.name})`;
  const fallback = row.default ? ` Default: ${row.default}` : '';
  return `  ${usage}\n${described(row.description + fallback)}`;
}

function described(text: string): string {
  return wrap(text, 6, ' '.repeat(6));
}
