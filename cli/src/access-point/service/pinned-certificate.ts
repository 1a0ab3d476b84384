// Fetches the certificate of a Weft that no authority has signed, and accepts it only by its fingerprint.
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { CommandFailure } from '../../surroundings.ts';

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
