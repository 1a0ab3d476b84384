// Structured logs on standard error, one JSON object a line. Bodies and headers are never logged; the redaction below
// is the second line of defence.
import { type Logger, pino } from 'pino';
import { decodeFormText } from '../../input/query-reader.ts';

export type { Logger };

const secretKeys = [
  'password',
  'new_password',
  'api_key',
  'access_token',
  'token',
  'secret',
  'authorization',
  'cookie',
  'callback_token',
];

export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '***' },
      serializers: { err: serializeError },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}

/** Name, message, code and stack: drivers hang whole requests on their errors, and those hold secrets. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const cause = error.cause === undefined ? {} : { cause: serializeError(error.cause) };
  return { name, message, code: (error as { code?: unknown }).code, stack, ...cause };
}

/** `command` may have any secret in it. */
const secretParameters = new Set(['token', 'access_token', 'code', 'password', 'api_key', 'secret', 'command']);
const utf8 = new TextDecoder();

/** A request's address as it may be logged: secret values of the query are left out, however it is escaped. */
export function withoutSecrets(url: string): string {
  return url.replace(/([?&]([^?=&#]*)=)[^&#]*/g, (pair, start, name) =>
    secretParameters.has(decodeFormText(name, utf8).toLowerCase()) ? `${start}***` : pair,
  );
}
