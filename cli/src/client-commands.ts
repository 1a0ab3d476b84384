// The commands that need no local server, and the program that has only these.
import { productOf } from '@weft/contract/product';
import packageJson from '../package.json' with { type: 'json' };
import type { Commands, Weft } from './run-weft.ts';

export const clientCommands: Commands = {
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
  completion: async (weft) => (await import('./commands/completion-command.ts')).completionCommand(weft),
};

/** What Weft hands out as one file, to people's machines and to access points. */
export const clientWeft: Weft = {
  product: productOf(packageJson),
  commands: { '': clientCommands },
  closing: 'weft help COMMAND shows the help on a command. The controller itself is a package of its own.\n',
  where: ' here',
};
