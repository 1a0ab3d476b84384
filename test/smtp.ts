// A real SMTP server on a free port that keeps the mails it takes, and a reader for them.
import { SMTPServer } from 'smtp-server';
import { findFreePort } from './server-process.ts';

export interface TestSmtp {
  url: string;
  /** In the order of their arrival. */
  mails: ReceivedMail[];
  /** Afterwards connections are refused; `startSmtp` with the same port brings it back. */
  close(): Promise<void>;
}

export interface ReceivedMail {
  from: string;
  to: string[];
  raw: string;
}

export interface SmtpOptions {
  port?: number;
  /** The only login that is let in; without one, anybody is. */
  login?: { user: string; pass: string };
}

export async function startSmtp({ port, login }: SmtpOptions = {}): Promise<TestSmtp> {
  const actualPort = port ?? (await findFreePort());
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    logger: false,
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth({ username, password }, _session, callback) {
      const isRight = username === login?.user && password === login?.pass;
      callback(isRight ? null : new Error('no such login'), { user: username ?? '' });
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, raw: Buffer.concat(chunks).toString('utf8') });
        callback();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(actualPort, '127.0.0.1', resolve));
  const userInfo = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.pass)}@` : '';
  return {
    url: `smtp://${userInfo}127.0.0.1:${actualPort}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The headers (names in lower case) and the two readings of a mail with a text and an HTML part. */
export function readMail(raw: string): { headers: Map<string, string>; text: string; html: string } {
  const { headers, body } = readPart(raw.replaceAll('\r\n', '\n'));
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1).map(readPart);
  const bodyOf = (type: string) => parts.find((part) => part.headers.get('content-type')?.startsWith(type))?.body ?? '';
  return { headers, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

function readPart(part: string): { headers: Map<string, string>; body: string } {
  const [head = '', ...rest] = part.replace(/^\n/, '').split('\n\n');
  const lines = head.replaceAll(/\n[ \t]+/g, ' ').split('\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, body: decode(rest.join('\n\n'), headers.get('content-transfer-encoding')) };
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
