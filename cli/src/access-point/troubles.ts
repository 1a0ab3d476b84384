// Why an agent does not get through to Weft, in a sentence that says what to do next.
import { WeftRefusal } from '@weft/sdk';
import { CommandFailure } from '../surroundings.ts';
import type { AgentSettings } from './agent-settings.ts';

const ofFiles = new Set(['open', 'read', 'write', 'rename', 'unlink', 'fsync', 'fdatasync', 'ftruncate']);

type Place = Pick<AgentSettings, 'url' | 'ap_id' | 'enrolmentToken'>;

/** For troubles that pass, or that somebody mends elsewhere: it is tried again. */
export function whyUnreachable(error: Error, url: string): string {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  // Of the disk, not of the network.
  if (ofFiles.has(syscall)) return `reports that wait are held up by the disk: ${error.message}. Trying again.`;
  if (code === 'damaged_report') return error.message;
  const { hostname, host } = new URL(url);
  const again = 'Trying again.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `no host is known as ${hostname}: check --url and the name server. ${again}`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${host}: is Weft running, and is the port right? ${again}`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return `there is no way to ${host}: is the network up? ${again}`;
  if (/CERT|SELF_SIGNED|TLS|SSL|certificate/i.test(`${code} ${error.message}`)) {
    return `the certificate of ${host} is not trusted (${code || error.message}): give it with --certificate. ${again}`;
  }
  return `Weft at ${host} is out of reach (${error.message || code}). ${again}`;
}

/** For those that do not pass. */
export function refusalAtStart(error: unknown, { url, ap_id, enrolmentToken }: Place): Error {
  if (!(error instanceof WeftRefusal)) return error as Error;
  const { status, code, detail } = error;
  const next = `Make a new line for it: weft agent line ${ap_id}`;
  const because = (text: string) => new CommandFailure(`Weft does not let ${ap_id} in: ${text}. ${next}`);
  if (code === 'unknown') return new CommandFailure(`${url} answers, but not as Weft does (${status}). Check --url.`);
  if (code === 'invalid_enrolment_token') return because('the enrolment token is unknown, used up or expired');
  if (code === 'ap_id_not_permitted') return because(lowerFirst(String(detail)));
  if (code !== 'invalid_credentials') return new CommandFailure(`Weft refuses ${ap_id}: ${error.message}`);
  if (enrolmentToken === undefined) {
    return because('it does not know the password of this machine, and there is no enrolment token');
  }
  // Enrolment found the name taken, and then the password was wrong.
  return because(
    'an agent of this name exists with another password; delete it in Weft first if this machine replaces it',
  );
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
