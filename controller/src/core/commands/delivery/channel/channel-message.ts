// Reads what an agent says on its channel. Telemetry comes thousands of times a second and nearly always begins with the
// same bytes, so its envelope is read without parsing, and its report by what is remembered; a command's plain state is matched
// as a whole; everything else is read as JSON.
import {
  type ChannelUpMessage,
  type CommandResultMessage,
  channelUp,
  checkedUp,
  type TelemetryMessage,
} from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import { type Problem, ValidationError } from '../../../base/errors.ts';
import { readJson } from '../../../base/input/json-reader.ts';
import type { JsonPath } from '../../../base/input/json-scanner.ts';
import type { Validator } from '../../../base/input/validator.ts';
import { invalidValue } from '../../../base/input/value-rules.ts';
import type { TelemetryReport } from '../../../telemetry/ingest/parse-report.ts';
import { maxReportKeys, type ReportReader } from '../../../telemetry/ingest/report-reader.ts';

const comma = 0x2c;
const zero = 0x30;
const nine = 0x39;
const envelope = Buffer.from('{"type":"telemetry","id":');
const maxIdDigits = 15;
const maxKeys = maxReportKeys + 2;
/** How a message begins that cannot be read to its end. */
const usualStart =
  /^\{"type":"(?:telemetry","id":(0|[1-9]\d{0,14})[,}]|command_result","command_id":"([^"\\]{1,128})")/;
const usualStartBytes = 256;

/** What nearly every word about a command is: its state and nothing else. */
const usualResult = /^\{"type":"command_result","command_id":"([\da-f-]{36})","state":"(received|succeeded|failed)"\}$/;
const maxUsualResultBytes = 128;
const or = new Intl.ListFormat('en-GB', { type: 'disjunction' });

type JsonObject = Record<string, unknown>;

type ChannelMessage =
  | { type: 'telemetry'; id: number | undefined; report: TelemetryReport }
  | Exclude<ChannelUpMessage, TelemetryMessage>;

/** What a message is called by its answer. */
export type MessageIds = { id?: number; command_id?: string };

/** Throws what #21 would throw. */
export function readMessage(
  bytes: Uint8Array,
  ap_id: string,
  reports: ReportReader,
  validator: Validator,
): ChannelMessage {
  const usual = readEnvelope(bytes);
  const known = usual && reports.recall(bytes, ap_id, usual.endsAt);
  if (known) return { type: 'telemetry', id: usual.id, report: known };
  const result = usual ? undefined : readUsualResult(bytes);
  if (result) return result;
  const { value, inexact } = readJson(bytes, maxKeys);
  if (!isObject(value))
    throw new ValidationError([{ loc: ['body'], msg: 'Input should be a valid dictionary', type: 'dict_type' }]);
  if (value.type === 'telemetry') {
    const { type, id, ...body } = value;
    if (id !== undefined && !isId(id)) throw invalidValue(['body', 'id'], 'id should be a whole number from 0');
    return { type: 'telemetry', id, report: reports.parse({ value: body, inexact }, ap_id, bytes, usual?.endsAt) };
  }
  const schema = checkedUp.find((each) => typeOf(each) === value.type);
  if (!schema) throw invalidValue(['body', 'type'], `type should be ${or.format(channelUp.map(typeOf))}`);
  return check(validator, schema, value, inexact);
}

function typeOf(schema: (typeof channelUp)[number]): string {
  return schema.properties.type.const;
}

/** As far as they can be told, also of a message that is refused before it was read, or cannot be read. */
export function idsOf(bytes: Uint8Array): MessageIds {
  const { type, id, command_id } = readKeys(bytes);
  return {
    ...(type !== 'command_result' && isId(id) && { id }),
    ...(type !== 'telemetry' && typeof command_id === 'string' && command_id.length <= 128 && { command_id }),
  };
}

function readKeys(bytes: Uint8Array): JsonObject {
  try {
    const { value } = readJson(bytes, maxKeys);
    return isObject(value) ? value : {};
  } catch {
    const [, id, command_id] = usualStart.exec(Buffer.from(bytes.subarray(0, usualStartBytes)).toString()) ?? [];
    return { id: id === undefined ? undefined : Number(id), command_id };
  }
}

/** Of a telemetry message that is written in the usual way; it ends at a comma, and the report follows. */
function readEnvelope(bytes: Uint8Array): { id: number; endsAt: number } | undefined {
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
  return isNumber && bytes[at] === comma ? { id, endsAt: at } : undefined;
}

function readUsualResult(bytes: Uint8Array): CommandResultMessage | undefined {
  if (bytes.length > maxUsualResultBytes) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const [, command_id, state] = usualResult.exec(text) ?? [];
  if (command_id === undefined) return undefined;
  return { type: 'command_result', command_id, state: state as CommandResultMessage['state'] };
}

function check<S extends (typeof checkedUp)[number]>(
  validator: Validator,
  schema: S,
  message: JsonObject,
  inexact: JsonPath[],
) {
  const problems: Problem[] = [];
  const value = validator.checkBody(schema, message, problems, { inexact });
  if (problems.length > 0) throw new ValidationError(problems);
  return value;
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) >= 0;
}
