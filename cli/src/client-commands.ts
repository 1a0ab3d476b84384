// The commands that need no local server, and how one is run.
import { type ClientCommand, helpOf, parseLine } from './command.ts';
import { weftOf } from './connection.ts';
import { failedAt } from './failures.ts';
import { exitCode, readColorFlag, type Surroundings, UsageError } from './surroundings.ts';

/** Loaded when needed: help must not wait for everything. */
const commands: Record<string, () => Promise<ClientCommand>> = {
  login: async () => (await import('./commands/login-command.ts')).loginCommand,
  logout: async () => (await import('./commands/login-command.ts')).logoutCommand,
  agent: async () => (await import('./commands/agent-command.ts')).agentCommand,
  agents: async () => (await import('./commands/agents-command.ts')).agentsCommand,
  label: async () => (await import('./commands/sites-command.ts')).labelCommand,
  sites: async () => (await import('./commands/sites-command.ts')).sitesCommand,
  config: async () => (await import('./commands/config-command.ts')).configCommand,
  rollout: async () => (await import('./commands/rollout-command.ts')).rolloutCommand,
  alarms: async () => (await import('./commands/alarms-command.ts')).alarmsCommand,
  incidents: async () => (await import('./commands/incidents-command.ts')).incidentsCommand,
  devices: async () => (await import('./commands/devices-command.ts')).devicesCommand,
  energy: async () => (await import('./commands/energy-command.ts')).energyCommand,
  events: async () => (await import('./commands/events-command.ts')).eventsCommand,
  watch: async () => (await import('./commands/watch-command.ts')).watchCommand,
  data: async () => (await import('./commands/data-command.ts')).dataCommand,
  import: async () => (await import('./commands/import-command.ts')).importCommand,
  command: async () => (await import('./commands/command-command.ts')).commandCommand,
  emulate: async () => (await import('./commands/emulate-command.ts')).emulateCommand,
  jobs: async () => (await import('./commands/jobs-command.ts')).jobsCommand,
  apps: async () => (await import('./commands/apps-command.ts')).appsCommand,
  new: async () => (await import('./commands/new-command.ts')).newCommand,
  completion: async () =>
    (await import('./commands/completion-command.ts')).completionCommand(clientCommandNames, clientHelp),
};

export const clientCommandNames: readonly string[] = Object.keys(commands);

/** Undefined if there is no such command. */
export async function clientCommand(name: string): Promise<ClientCommand | undefined> {
  return Object.hasOwn(commands, name) ? commands[name]!() : undefined;
}

/** Resolves the exit code; throws errors that tellFailure can report. */
export async function runClientCommand(command: ClientCommand, args: string[], around: Surroundings): Promise<number> {
  const { rest, env } = readColorFlag(args, around.env);
  const own = { ...around, env };
  try {
    return (await command.run(parseLine(rest, command.options), own)) ?? exitCode.ok;
  } catch (error) {
    const url = weftOf(own);
    throw url !== undefined && error instanceof Error && !(error instanceof UsageError) ? failedAt(url, error) : error;
  }
}

/** The lines of the overview. */
export async function clientOverview(): Promise<string> {
  const rows = await Promise.all(
    clientCommandNames.map(async (name) => `  ${name.padEnd(27)}  ${(await commands[name]!()).summary}\n`),
  );
  return rows.join('');
}

/** The help on a command, or undefined if there is no such command. */
export async function clientHelp(name: string): Promise<string | undefined> {
  const command = await clientCommand(name);
  return command && helpOf(command);
}
