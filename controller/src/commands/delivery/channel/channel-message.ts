// Reads what an agent says on its channel. Telemetry comes thousands of times a second and nearly always begins with the
// same bytes, so its envelope is taken off without parsing; everything else is read as JSON.

import { CommandResultMessage, HelloMessage } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { type Problem, ValidationError } from '../../../errors.ts';
import { readJson } from '../../../input/json-reader.ts';
import type { JsonPath } from '../../../input/json-scanner.ts';
import type { Validator } from '../../../input/validator.ts';
import { invalidValue } from '../../../input/value-rules.ts';

const openBrace = 0x7b;
const comma = 0x2c;
const zero = 0x30;
const nine = 0x39;
const envelope = Buffer.from('{"type":"telemetry","id":');
const maxIdDigits = 15;
/** As many as #21 takes, and the envelope. */
export const maxKeys = 60_012;

type JsonObject = Record<string, unknown>;

export interface TelemetryBody {
  type: 'telemetry';
  id: number | undefined;
  /** Without `type` and `id`: the body of #21. */
  body: JsonObject;
  inexact: JsonPath[];
}

export type ChannelMessage = TelemetryBody | CommandResultMessage | HelloMessage;

/** Not to be understood; `id` and `command_id` as far as they could be. */
export class UnreadableMessage extends Error {
  override name = 'UnreadableMessage';
  readonly id: number | undefined;
  readonly command_id: string | undefined;
  constructor(cause: unknown, message: JsonObject = {}) {
    super('unreadable message', { cause });
    const { id, command_id } = message;
    this.id = isId(id) ? id : undefined;
    this.command_id = typeof command_id === 'string' && command_id.length <= 128 ? command_id : undefined;
  }
}

/** Where the fields of a telemetry message begin, if it is written in the usual way. */
export function readEnvelope(bytes: Uint8Array): { id: number; bodyAt: number } | undefined {
  for (let at = 0; at < envelope.length; at++) if (bytes[at] !== envelope[at]) return undefined;
  let at = envelope.length;
  let id = 0;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < zero || byte > nine) break;
    id = id * 10 + byte - zero;
  }
  const digits = at - envelope.length;
  const isNumber = digits > 0 && digits <= maxIdDigits && (digits === 1 || bytes[envelope.length] !== zero);
  return isNumber && bytes[at] === comma ? { id, bodyAt: at } : undefined;
}

/** What stands behind the envelope, as an object of its own: the comma becomes its brace, in place. */
export function openBody(bytes: Uint8Array, bodyAt: number): Uint8Array {
  bytes[bodyAt] = openBrace;
  return bytes.subarray(bodyAt);
}

export function closeBody(bytes: Uint8Array, bodyAt: number): void {
  bytes[bodyAt] = comma;
}

/** Throws UnreadableMessage, whose cause is what #21 would have thrown. */
export function readMessage(bytes: Uint8Array, validator: Validator): ChannelMessage {
  let message: JsonObject = {};
  try {
    const { value, inexact } = readJson(bytes, maxKeys);
    if (!isObject(value)) throw notAnObject();
    message = value;
    switch (message.type) {
      case 'telemetry': {
        const { type, id, ...body } = message;
        if (id !== undefined && !isId(id)) throw invalidValue(['body', 'id'], 'id should be a whole number from 0');
        return { type, id, body, inexact };
      }
      case 'command_result':
        return check(validator, CommandResultMessage, message, inexact);
      case 'hello':
        return check(validator, HelloMessage, message, inexact);
      default:
        throw invalidValue(['body', 'type'], 'type should be telemetry, command_result or hello');
    }
  } catch (error) {
    throw new UnreadableMessage(error, message);
  }
}

function check<S extends typeof CommandResultMessage | typeof HelloMessage>(
  validator: Validator,
  schema: S,
  message: JsonObject,
  inexact: JsonPath[],
) {
  const problems: Problem[] = [];
  const value = validator.checkBody(schema, message, problems, inexact);
  if (problems.length > 0) throw new ValidationError(problems);
  return value;
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) >= 0;
}

function notAnObject(): ValidationError {
  return new ValidationError([{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }]);
}
