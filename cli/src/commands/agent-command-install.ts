// `weft agent install`: installs the agent as a service of this machine.
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { readAgentSettings } from '../access-point/agent-settings.ts';
import { installFiles, startService, unitOf } from '../access-point/service/install.ts';
import type { CommandLine } from '../command.ts';
import { CommandFailure, type Surroundings } from '../surroundings.ts';

const restartSeconds = { least: 5, most: 20 };

export async function installAgent(line: CommandLine, { env, stdout, stderr }: Surroundings): Promise<void> {
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
    return;
  }
  const isHere = !line.has('root');
  if (isHere && process.getuid?.() !== 0) {
    throw new CommandFailure('Only root can install a service. Use sudo, or install into a folder with --root DIR.');
  }
  for (const path of installFiles(options)) stderr.write(`Wrote ${path}\n`);
  if (settings.enrolmentToken === undefined) {
    stderr.write('WEFT_ENROLMENT_TOKEN is not set: this works only if the access point is already registered.\n');
  }
  if (!isHere) return;
  if (line.has('no-start')) {
    stderr.write('Start it with: systemctl enable --now weft-agent\n');
    return;
  }
  await startService();
  stderr.write('The agent is running. Show its log with: journalctl -fu weft-agent\n');
}

// Fetches the certificate of a Weft that no authority has signed, and accepts it only by its fingerprint.
const patienceMs = 15_000;

/** Resolves the PEM. Throws CommandFailure if another certificate answers, or none. */
export function fetchCertificate(url: string, fingerprint: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') throw new CommandFailure('--fingerprint needs an address that begins with https://');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      socket.destroy();
      reject(new CommandFailure(`The certificate of ${url} cannot be trusted: ${why}`));
    };
    // Nothing is sent over this connection: whoever it is, only the fingerprint counts.
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, servername: '' }, () => {
      const certificate = new X509Certificate(socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0));
      if (plain(certificate.fingerprint256) !== plain(fingerprint)) {
        fail('its fingerprint is not the one in the line. Create a new line, or find out who answers there.');
        return;
      }
      socket.destroy();
      resolve(certificate.toString());
    });
    socket.setTimeout(patienceMs, () => fail('no answer'));
    socket.once('error', (error) => fail(error.message));
  });
}

function plain(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}
