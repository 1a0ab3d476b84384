// Puts the agent onto this machine: the program as one file, its settings where only root can read them, and a service.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../../surroundings.ts';
import { type AgentSettings, defaultCommandsDir } from '../agent-settings.ts';
import { toAllowText } from '../commands/allowance.ts';
import { runTool } from '../machine/tool.ts';
import { toEnvironment } from './environment-file.ts';
import { toUnit } from './service-unit.ts';

export const installedPaths = {
  program: '/usr/local/lib/weft/weft.mjs',
  environment: '/etc/weft-agent/agent.env',
  certificate: '/etc/weft-agent/weft.pem',
  unit: '/etc/systemd/system/weft-agent.service',
} as const;
const ownFolders = ['/usr/local/lib/weft', '/etc/weft-agent', defaultCommandsDir];
const service = 'weft-agent.service';
/** Where an account without a home cannot look. */
const homes = /^\/(home|root|run\/user)\//;

export interface InstallOptions {
  settings: AgentSettings;
  /** The file that runs now. */
  program: string;
  nodePath: string;
  /** Another root than that of this machine. */
  root: string;
  restartSeconds: number;
}

/** The text of the unit. */
export function unitOf({ settings, nodePath, restartSeconds }: Omit<InstallOptions, 'program' | 'root'>): string {
  return toUnit({
    nodePath,
    restartSeconds,
    allowance: settings.allowance,
    programPath: installedPaths.program,
    environmentPath: installedPaths.environment,
  });
}

/** Writes the files; the paths it has written to. Throws CommandFailure. */
export function installFiles(options: InstallOptions): string[] {
  const { settings, program, nodePath, root } = options;
  requireSingleFile(program);
  if (homes.test(nodePath)) {
    throw new CommandFailure(
      `${nodePath} is in somebody's home, which the service cannot see. Install Node for everybody, in /usr.`,
    );
  }
  const written: string[] = [];
  const folder = (path: string) => {
    mkdirSync(join(root, path), { recursive: true });
    // The service's account must get through, whatever the mask of whoever installs it.
    if (ownFolders.includes(path)) chmodSync(join(root, path), 0o755);
  };
  const write = (path: string, content: string | Buffer, mode: number) => {
    const target = join(root, path);
    const beside = `${target}.new`;
    folder(dirname(path));
    writeFileSync(beside, content, { mode });
    // The mask does not count, nor the mode of a file that was left over.
    chmodSync(beside, mode);
    renameSync(beside, target);
    written.push(target);
  };
  try {
    // The agent that is being replaced may be this very file.
    write(installedPaths.program, readFileSync(program), 0o755);
    if (settings.trustedCertificate !== undefined)
      write(installedPaths.certificate, settings.trustedCertificate, 0o644);
    write(installedPaths.environment, toEnvironment(environmentOf(settings)), 0o600);
    folder(defaultCommandsDir);
    write(installedPaths.unit, unitOf(options), 0o644);
  } catch (error) {
    throw new CommandFailure(`The agent cannot be installed: ${(error as Error).message}`);
  }
  return written;
}

/** Throws CommandFailure. */
export async function startService(): Promise<void> {
  try {
    for (const words of [['daemon-reload'], ['enable', service], ['restart', service]]) {
      await runTool('systemctl', words, { timeoutMs: 60_000 });
    }
  } catch (error) {
    throw new CommandFailure(
      `The files are in place, but the service does not start: ${(error as Error).message}. Look at: journalctl -u weft-agent`,
    );
  }
}

function environmentOf(settings: AgentSettings): Record<string, string | undefined> {
  const { url, ap_id, intervalSeconds, allowance, commandsDir, configuration, trustedCertificate } = settings;
  return {
    WEFT_URL: url,
    WEFT_AP_ID: ap_id,
    WEFT_AGENT_INTERVAL: String(intervalSeconds),
    WEFT_AGENT_ALLOW: toAllowText(allowance),
    WEFT_AGENT_COMMANDS_DIR: commandsDir === defaultCommandsDir ? undefined : commandsDir,
    WEFT_AGENT_CONFIGURATION: Object.keys(configuration).length > 0 ? JSON.stringify(configuration) : undefined,
    WEFT_AGENT_CERTIFICATE: trustedCertificate === undefined ? undefined : installedPaths.certificate,
    WEFT_ENROLMENT_TOKEN: settings.enrolmentToken,
  };
}

function requireSingleFile(program: string): void {
  if (program.endsWith('.mjs') && existsSync(program)) return;
  throw new CommandFailure(
    'Only the single file weft.mjs can be installed. Fetch it from Weft first: curl -fsSO URL/install/weft.mjs',
  );
}
