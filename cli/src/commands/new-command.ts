// `weft new`: creates a project with a working program.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { EnrolmentToken } from '@weft/contract';
import { WeftRefusal } from '@weft/sdk';
import type { Command, CommandLine } from '../command.ts';
import { connect, urlOf, urlOption } from '../connection.ts';
import { CommandFailure, interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { agentTemplate } from '../templates/agent-template.ts';
import { appTemplate } from '../templates/app-template.ts';
import type { Template } from '../templates/template.ts';

/** `made`: what there is beside the files. */
const kinds: Record<'app' | 'agent', { template: Template; register: Register; made: string }> = {
  app: { template: appTemplate, register: registerApp, made: 'Its key, of an app that may do everything, is in .env.' },
  agent: { template: agentTemplate, register: registerAgent, made: 'The token for its first start is in .env.' },
};

/** Registers it with Weft; resolves the lines of `.env`. */
type Register = (name: string, line: CommandLine, around: Surroundings) => Promise<Record<string, string>>;

export const newCommand: Command = {
  summary: 'create a control program or an agent project',
  usage: ['new app FOLDER [--url URL] [--offline]', 'new agent FOLDER [--url URL] [--offline]'],
  about: `Creates the folder with a working program, and registers it with Weft under the name of the folder: an app with a key, or an enrolment token with which the access point registers itself. Only administrators can register; other users add --offline.`,
  options: {
    offline: { about: 'only write the files; fill in .env yourself' },
    ...urlOption,
  },
  examples: ['new app night-watch', 'new agent ap-roof-1 --url https://weft.example.org'],
  async run(line, around) {
    const [kind, folder] = line.words as [keyof typeof kinds, string];
    const wanted = kinds[kind];
    const path = resolve(folder);
    const name = basename(path);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) {
      throw new UsageError(`"${name}" is not a valid name: use letters, digits, dots, hyphens and underscores.`);
    }
    const isNew = !existsSync(path);
    if (!isNew && !isEmptyFolder(path)) throw new CommandFailure(`${folder} already exists and is not empty.`);
    const url = urlOf(line, around);
    const files = wanted.template({ name, url });
    const toEnvFile = (settings: Record<string, string>) => toEnv({ WEFT_URL: url, ...settings });
    try {
      // Write the files first: a key that Weft has issued must not be lost because the folder cannot be written.
      write(path, { ...files, '.env': toEnvFile(emptySettings(kind, name)) });
      if (!line.has('offline')) write(path, { '.env': toEnvFile(await wanted.register(name, line, around)) });
    } catch (error) {
      if (existsSync(path)) for (const file of Object.keys(files)) rmSync(join(path, file), { force: true });
      if (existsSync(path) && isNew) rmSync(path, { recursive: true });
      throw error;
    }
    const made = line.has('offline') ? 'Fill in .env first.' : wanted.made;
    const names = Object.keys(files).join(', ');
    around.stderr.write(`Created ${folder}: ${names}. ${made} Next:\n\n  cd ${folder}\n  npm install\n  npm start\n`);
  },
};

async function registerApp(name: string, line: CommandLine, around: Surroundings): Promise<Record<string, string>> {
  const key = newSecret();
  const json = { app_name: name, api_key: key, permissions: {} };
  await asAdministrator(() =>
    connect(line, around).request('POST', '/api/v1/third_party_apps/', { json, signal: interruptionOf(around) }),
  );
  return { WEFT_APP_NAME: name, WEFT_APP_KEY: key };
}

async function registerAgent(name: string, line: CommandLine, around: Surroundings): Promise<Record<string, string>> {
  const json = { ap_id_pattern: name, max_uses: 1 };
  const { token } = await asAdministrator(() =>
    connect(line, around).request<EnrolmentToken>('POST', '/api/v1/enrolment_tokens', {
      json,
      signal: interruptionOf(around),
    }),
  );
  return { WEFT_AP_ID: name, WEFT_AP_PASSWORD: newSecret(), WEFT_ENROLMENT_TOKEN: token ?? '' };
}

async function asAdministrator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WeftRefusal && error.status === 403)) throw error;
    throw new CommandFailure(
      'Only administrators can create apps and enrolment tokens. Ask an administrator for one, and use --offline.',
    );
  }
}

function emptySettings(kind: string, name: string): Record<string, string> {
  return kind === 'app'
    ? { WEFT_APP_NAME: name, WEFT_APP_KEY: '' }
    : { WEFT_AP_ID: name, WEFT_AP_PASSWORD: newSecret(), WEFT_ENROLMENT_TOKEN: '' };
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}

function toEnv(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function isEmptyFolder(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0;
}

function write(path: string, files: Record<string, string | undefined>): void {
  try {
    mkdirSync(path, { recursive: true });
    for (const [name, text = ''] of Object.entries(files)) {
      writeFileSync(join(path, name), text, { mode: name === '.env' ? 0o600 : 0o644 });
    }
  } catch (error) {
    throw new CommandFailure(`${path} cannot be written: ${(error as Error).message}`);
  }
}
