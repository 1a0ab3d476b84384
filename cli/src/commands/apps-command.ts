// `weft apps`: third-party apps, their keys and permissions. For administrators.
import { randomBytes } from 'node:crypto';
import type { AppPermissions, ThirdPartyApp, ThirdPartyAppSummary } from '@weft/contract';
import { effectivePermissions } from '@weft/contract/app-permissions';
import { toShellWord } from '@weft/contract/enrolment-line';
import { type Command, type CommandLine, jsonOption } from '../command.ts';
import { connect, urlOption } from '../connection.ts';
import { toJson } from '../json-text.ts';
import type { Surroundings } from '../surroundings.ts';
import { naturally, printList, tableOptions } from '../table.ts';

const path = '/api/v1/third_party_apps/';

export const appsCommand: Command = {
  summary: 'manage third-party apps and their keys',
  usage: [
    'apps [--wide] [--json]',
    'apps add NAME [--agents PATTERN]... [--read-only] [--no-emulator] [--json]',
    'apps rotate NAME [--json]',
    'apps remove NAME',
  ],
  about: 'add and rotate generate a key and print it once. By default an app may read and control every access point.',
  options: {
    agents: { value: 'PATTERN', about: 'only these access points; repeatable', isMany: true },
    'read-only': { about: 'no commands' },
    'no-emulator': { about: 'no emulated networks' },
    wide: tableOptions.wide,
    ...jsonOption,
    ...urlOption,
  },
  examples: ['apps', "apps add planner --agents 'ap-hall-*' --read-only", 'apps rotate planner'],
  async run(line, around) {
    const [action, name] = line.words;
    if (name === undefined) return list(line, around);
    if (action === 'remove') return remove(name, line, around);
    return action === 'add' ? add(name, line, around) : rotate(name, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const apps: ThirdPartyAppSummary[] = await connect(line, around).request('GET', path);
  const sorted = line.has('json') ? apps : apps.toSorted((a, b) => naturally(a.app_name, b.app_name));
  const toRow = (app: ThirdPartyAppSummary) => [app.app_name, inWords(app.permissions as AppPermissions)];
  const none = 'There are no apps yet. Try: weft apps add NAME';
  printList(sorted, { none, head: ['APP', 'MAY'], toRow }, line, around);
}

async function add(app_name: string, line: CommandLine, around: Surroundings): Promise<void> {
  const permissions: AppPermissions = {
    ...(line.has('agents') && { agents: [...line.all('agents')] }),
    ...(line.has('read-only') && { commands: false }),
    ...(line.has('no-emulator') && { emulator: false }),
  };
  const json = { app_name, api_key: newKey(), permissions };
  return tellKey(await connect(line, around).request('POST', path, { json }), json.api_key, line, around);
}

async function rotate(app_name: string, line: CommandLine, around: Surroundings): Promise<void> {
  const json = { api_key: newKey() };
  const one = path + encodeURIComponent(app_name);
  return tellKey(await connect(line, around).request('PUT', one, { json }), json.api_key, line, around);
}

async function remove(app_name: string, line: CommandLine, around: Surroundings): Promise<void> {
  await connect(line, around).request('DELETE', path + encodeURIComponent(app_name));
  around.stderr.write(`Removed ${app_name}; its tokens are revoked.\n`);
}

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

function tellKey(app: ThirdPartyApp, api_key: string, line: CommandLine, around: Surroundings): void {
  if (line.has('json')) around.stdout.write(`${toJson({ ...app, api_key })}\n`);
  else {
    around.stdout.write(`${api_key}\n`);
    around.stderr.write(
      `This is the key of ${app.app_name}. It is not shown again. Try: weft login --app ${toShellWord(app.app_name)}\n`,
    );
  }
}

function inWords(permissions: AppPermissions): string {
  const { agents, read, commands, emulator } = effectivePermissions(permissions);
  const on = agents ? agents.join(', ') : 'all access points';
  const some = Array.isArray(commands)
    ? commands.join(', ')
    : commands && commands !== true
      ? Object.keys(commands).join(', ')
      : 'commands';
  const may = [read !== false && 'read', commands !== false && some, emulator !== false && 'emulator'].filter(Boolean);
  return `${may.length > 0 ? may.join(', ') : 'nothing'}; ${on}`;
}
