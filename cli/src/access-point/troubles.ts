// Explains why an agent cannot connect to Weft, and what to do.
import { toShellWord } from '@weft/contract/enrolment-line';
import { WeftRefusal } from '@weft/sdk';
import { CommandFailure } from '../surroundings.ts';
import type { AgentSettings } from './agent-settings.ts';

const ofFiles = new Set(['open', 'read', 'write', 'rename', 'unlink', 'fsync', 'fdatasync', 'ftruncate']);

type Place = Pick<AgentSettings, 'url' | 'ap_id' | 'enrolmentToken'>;

/** For temporary errors, and errors that are fixed elsewhere: the agent retries. */
export function whyUnreachable(error: Error, url: string): string {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  // An error of the disk, not of the network.
  if (ofFiles.has(syscall))
    return `waiting reports cannot be read from or written to disk: ${error.message}. Retrying.`;
  if (['damaged_report', 'invalid_message', 'settings'].includes(code)) return error.message;
  const { hostname, host } = new URL(url);
  const again = 'Retrying.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the host name ${hostname} cannot be resolved: check --url and DNS. ${again}`;
  if (code === 'ECONNREFUSED') return `connection to ${host} refused: is Weft running, and is the port right? ${again}`;
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `${host} is unreachable: is the network up? ${again}`;
  if (/CERT|SELF_SIGNED|TLS|SSL|certificate/i.test(`${code} ${error.message}`)) {
    return `the certificate of ${host} is not trusted (${code || error.message}): set --certificate. ${again}`;
  }
  return `Weft at ${host} is unreachable (${error.message || code}). ${again}`;
}

/** Another machine has the name now. */
export function isReplaced(error: unknown): boolean {
  return error instanceof WeftRefusal && error.code === 'credentials_replaced';
}

/** For permanent errors. */
export function refusalAtStart(error: unknown, { url, ap_id, enrolmentToken }: Place): Error {
  if (!(error instanceof WeftRefusal)) return error as Error;
  const { status, code, detail } = error;
  const line = `weft agent line ${toShellWord(ap_id)}`;
  if (isReplaced(error)) {
    const next = `If this one is to take over again, create a line with ${line} --replace`;
    return new CommandFailure(`This machine was replaced by another one as ${ap_id}: stop it. ${next}`);
  }
  const next = `Create a new install line: ${line}`;
  const because = (text: string) => new CommandFailure(`Authentication of ${ap_id} failed: ${text}. ${next}`);
  if (code === 'unknown') return new CommandFailure(`${url} is not a Weft server (status ${status}). Check --url.`);
  if (code === 'invalid_enrolment_token') return because('the enrolment token is unknown, used up or expired');
  if (code === 'ap_id_not_permitted') return because(lowerFirst(String(detail)));
  if (code !== 'invalid_credentials') return new CommandFailure(`Weft rejects ${ap_id}: ${error.message}`);
  if (enrolmentToken === undefined) {
    return because('the password of this machine is wrong, and there is no enrolment token');
  }
  // The name is already registered, and the password was wrong.
  return because('an agent with this name exists with another password; if this machine replaces it, add --replace');
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
