// The log for people at a terminal: one readable line for each JSON line, and the stack of an error below it.
import { isObject } from '@weft/contract/is-object';

export type LogFormat = 'json' | 'text';

/** Of `WEFT_LOG_FORMAT`: `auto` is text on a terminal, JSON elsewhere. */
export function chooseLogFormat(setting: 'auto' | LogFormat, isTerminal: boolean): LogFormat {
  if (setting !== 'auto') return setting;
  return isTerminal ? 'text' : 'json';
}

/** `line` is a JSON line of the logger; what comes back is text that ends with a line break and holds no control characters. */
export function toReadableLine(line: string): string {
  const { level, time, msg = '', method, url, status, err, ...others } = JSON.parse(line) as Record<string, unknown>;
  const moment = typeof time === 'string' ? time.slice(11, 23) : '';
  const request = [method, url].filter((part) => part !== undefined).map((part) => harmless(String(part)));
  const fields = Object.entries(others).map(([name, value]) => `${harmless(name)}=${toValue(value)}`);
  const head = [moment, harmless(String(level).toUpperCase().padEnd(5)), harmless(String(msg))];
  const words = [
    ...head,
    ...(status === undefined ? [] : [harmless(String(status))]),
    ...request,
    ...fields,
    ...errorWords(err),
  ];
  return `${words.join(' ')}\n${stackOf(err)}`;
}

function errorWords(err: unknown): string[] {
  if (!isObject(err)) return [];
  const { name, message, code } = err;
  return [
    `${code === undefined ? '' : `[${harmless(String(code))}] `}${name ? `${harmless(String(name))}: ` : ''}${harmless(String(message))}`,
  ];
}

/** Without its first line, which repeats the message. */
function stackOf(err: unknown): string {
  if (!isObject(err) || typeof err.stack !== 'string') return '';
  const frames = err.stack.split('\n').filter((frame) => /^\s+at /.test(frame));
  return frames.map((frame) => `    ${harmless(frame.trim())}\n`).join('');
}

function toValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) ? harmless(text) : harmless(JSON.stringify(text));
}

/** Clients choose parts of the log: none of it may move the cursor, change colours or begin a line. */
function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
}
