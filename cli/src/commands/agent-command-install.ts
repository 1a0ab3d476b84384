// `weft agent install`: installs the agent as a service of this machine.
import { readAgentSettings } from '../access-point/agent-settings.ts';
import { installFiles, startService, unitOf } from '../access-point/service/install.ts';
import { fetchCertificate } from '../access-point/service/pinned-certificate.ts';
import type { CommandLine } from '../command.ts';
import { CommandFailure, exitCode, type Surroundings } from '../surroundings.ts';

const restartSeconds = { least: 5, most: 20 };

export async function installAgent(line: CommandLine, { env, stdout, stderr }: Surroundings): Promise<number> {
  const given = readAgentSettings(line, env);
  const fingerprint = line.get('fingerprint');
  const settings =
    fingerprint === undefined
      ? given
      : { ...given, trustedCertificate: await fetchCertificate(given.url, fingerprint) };
  const { least, most } = restartSeconds;
  const options = {
    settings,
    nodePath: process.execPath,
    program: process.argv[1] ?? '',
    root: line.get('root') ?? '/',
    restartSeconds: least + Math.floor(Math.random() * (most - least + 1)),
  };
  if (line.has('print-unit')) {
    stdout.write(unitOf(options));
    return exitCode.ok;
  }
  const isHere = !line.has('root');
  if (isHere && process.getuid?.() !== 0) {
    throw new CommandFailure('Only root can install a service. Use sudo, or install into a folder with --root DIR.');
  }
  for (const path of installFiles(options)) stderr.write(`Wrote ${path}\n`);
  if (settings.enrolmentToken === undefined) {
    stderr.write('WEFT_ENROLMENT_TOKEN is not set: this works only if the access point is already registered.\n');
  }
  if (!isHere) return exitCode.ok;
  if (line.has('no-start')) {
    stderr.write('Start it with: systemctl enable --now weft-agent\n');
    return exitCode.ok;
  }
  await startService();
  stderr.write('The agent is running. Show its log with: journalctl -fu weft-agent\n');
  return exitCode.ok;
}
