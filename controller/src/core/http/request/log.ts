// Structured logs on standard error, one JSON object a line or, for people, text. Bodies and headers are never logged; the redaction below
// is the second line of defence. Logging never waits (log-output.ts) and repeats little (repeated-lines.ts).
import { type Logger, pino } from 'pino';
import { decodeFormText } from '../../base/input/query-reader.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { standardErrorOutput } from './log-output.ts';
import { type LogFormat, toReadableLine } from './log-text.ts';
import { RepeatedLines } from './repeated-lines.ts';

export type { Logger };

/** How often ended windows of repeated lines are looked for. */
const sumIntervalMs = 1000;

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

/** Every line is written at the levels debug and trace; else lines that repeat are summed up. */
export function createLogger(level: string, format: LogFormat = 'json'): Logger {
  const toText = format === 'text' ? toReadableLine : undefined;
  const repeated = level === 'debug' || level === 'trace' ? undefined : new RepeatedLines();
  let summing: PeriodicTask | undefined;
  let isSummingUp = false;
  const sumUp = (now: number): void => {
    isSummingUp = true;
    for (const sum of repeated!.sums(now)) log[levelName(sum.level)](sum.fields, sum.msg);
    isSummingUp = false;
  };
  const onExit = () => sumUp(Number.POSITIVE_INFINITY);
  const watch = (): void => {
    process.prependListener('exit', onExit);
    const run = () => {
      sumUp(performance.now());
      if (repeated!.size > 0) return;
      void summing?.stop();
      summing = undefined;
      process.off('exit', onExit);
    };
    summing = new PeriodicTask({ everyMs: sumIntervalMs, what: 'the summing up of repeated lines', run });
    summing.start();
  };
  const log = pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '***' },
      serializers: { err: serializeError },
      hooks: {
        logMethod(args, method, level) {
          const [fields, text] = args as [unknown, unknown];
          const msg = typeof fields === 'string' ? fields : String(text ?? '');
          if (repeated && !isSummingUp) {
            if (!repeated.admit(level, fields, msg, performance.now())) return;
            if (!summing) watch();
          }
          method.apply(this, args);
        },
      },
    },
    { write: (line) => standardErrorOutput(toText).write(line) },
  );
  return log;
}

function levelName(level: number): 'info' | 'warn' | 'error' {
  return level >= 50 ? 'error' : level >= 40 ? 'warn' : 'info';
}

/** Name, message, code and stack: drivers hang whole requests on their errors, and those hold secrets. */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const cause = error.cause === undefined ? {} : { cause: serializeError(error.cause) };
  return { name, message, code: (error as { code?: unknown }).code, stack, ...cause };
}

/** `p` is where clients of InfluxDB put the password; `command` may have any secret in it, `search` the address of a device. */
const secretParameters = new Set([
  'p',
  'token',
  'access_token',
  'code',
  'password',
  'api_key',
  'secret',
  'command',
  'search',
]);
/** In the place of a device's pseudonym somebody may have written its address. */
const deviceInPath = /(\/devices\/+)(?!dev-[a-z2-7]{16}(?:[/?#;]|$))[^/?#]+/gi;
/** The name of a parameter, also where a client has escaped what precedes it or put it into the path behind a semicolon. */
const parameter = /(?:[?&;]|%(?:3f|26|3b))((?:(?!%(?:3f|26|3b|3d))[^?=&;#])*)(?:=|%3d)/gi;
const utf8 = new TextDecoder();

/** A request's address as it may be logged: values of secret parameters are left out, however they are written. */
export function withoutSecrets(url: string): string {
  let shown = '';
  let from = 0;
  for (const { 0: start, 1: name, index } of url.matchAll(parameter)) {
    const begin = index + start.length;
    if (index < from || !secretParameters.has(decodeFormText(name!, utf8).trim().toLowerCase())) continue;
    shown += `${url.slice(from, begin)}***`;
    const length = url.slice(begin).search(/[&#]/);
    from = length < 0 ? url.length : begin + length;
  }
  return (shown + url.slice(from)).replace(deviceInPath, '$1***');
}
