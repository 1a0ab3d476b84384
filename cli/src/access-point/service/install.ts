// Installs the agent on this machine: the program as one file, its settings readable by root only, and a service.
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
/** Folders that the account of the service cannot read. */
const homes = /^\/(home|root|run\/user)\//;

export interface InstallOptions {
  settings: AgentSettings;
  /** The file of the running program. */
  program: string;
  nodePath: string;
  /** Install below this folder. */
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

/** Writes the files and returns their paths. Throws CommandFailure. */
export function installFiles(options: InstallOptions): string[] {
  const { settings, program, nodePath, root } = options;
  requireSingleFile(program);
  if (homes.test(nodePath)) {
    throw new CommandFailure(
      `${nodePath} is in a home folder, which the service cannot read. Install Node for all users, in /usr.`,
    );
  }
  const written: string[] = [];
  const folder = (path: string) => {
    mkdirSync(join(root, path), { recursive: true });
    // The account of the service must have access, whatever the umask of the installer.
    if (ownFolders.includes(path)) chmodSync(join(root, path), 0o755);
  };
  const write = (path: string, content: string | Buffer, mode: number) => {
    const target = join(root, path);
    const beside = `${target}.new`;
    folder(dirname(path));
    writeFileSync(beside, content, { mode });
    // Independent of the umask, and of the mode of an existing file.
    chmodSync(beside, mode);
    renameSync(beside, target);
    written.push(target);
  };
  try {
    // The file may be the running agent itself.
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
      `The files are installed, but the service does not start: ${(error as Error).message}. See: journalctl -u weft-agent`,
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
    WEFT_AGENT_LINK: settings.isLink ? 'true' : undefined,
    WEFT_AGENT_COMMANDS_DIR: commandsDir === defaultCommandsDir ? undefined : commandsDir,
    WEFT_AGENT_CONFIGURATION: Object.keys(configuration).length > 0 ? JSON.stringify(configuration) : undefined,
    WEFT_AGENT_CERTIFICATE: trustedCertificate === undefined ? undefined : installedPaths.certificate,
    WEFT_ENROLMENT_TOKEN: settings.enrolmentToken,
  };
}

function requireSingleFile(program: string): void {
  if (program.endsWith('.mjs') && existsSync(program)) return;
  throw new CommandFailure(
    'Only the single file weft.mjs can be installed. Download it from Weft first: curl -fsSO URL/install/weft.mjs',
  );
}
