// History in InfluxDB's line protocol: splits a text that arrives in chunks into lines, and finds the agent of each line.
// Weft validates the fields.

const maxLineLength = 1024 * 1024;
/** The first line of what `influx_inspect export` writes. */
export const exportHeader = '# INFLUXDB EXPORT';

export interface LineProtocolOptions {
  /** The agent of lines that do not name one. */
  agent: string | undefined;
  /** The tag that names the agent. */
  agentTag: string | undefined;
  /** Only lines of this measurement. */
  measurement: string | undefined;
}

export async function* readLineProtocol(
  pieces: AsyncIterable<string>,
  options: LineProtocolOptions,
): AsyncGenerator<HistoryItem> {
  let isExport = false;
  let isDefinition = false;
  for await (const { text, number } of wholeLines(pieces)) {
    const line = text.trim();
    isExport ||= line.startsWith(exportHeader);
    // Statements that create databases.
    if (isExport && (line === '# DDL' || line === '# DML')) isDefinition = line === '# DDL';
    if (line === '' || line.startsWith('#') || isDefinition) continue;
    try {
      const item = toHistory(line, number, options, isExport);
      if (item) yield item;
    } catch (error) {
      if (!(error instanceof BadLine)) throw error;
      yield error;
    }
  }
}

/** Quoted texts may contain line ends. Throws BadLine for a line without an end, because the next line cannot be found. */
async function* wholeLines(pieces: AsyncIterable<string>): AsyncGenerator<{ text: string; number: number }> {
  let number = 1;
  let begun: { text: string; number: number } | undefined;
  for await (const text of physicalLines(pieces)) {
    begun = begun ? { ...begun, text: `${begun.text}\n${text}` } : { text, number };
    number += 1;
    if (begun.text.length > maxLineLength) throw new BadLine(begun.number, 'it is too long; is a quote not closed?');
    if (begun.text.includes('"') && hasOpenQuote(begun.text)) continue;
    yield begun;
    begun = undefined;
  }
  if (begun) yield begun;
}

async function* physicalLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let before = 0;
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    before += lines.length;
    if (rest.length > maxLineLength) throw new BadLine(before + 1, 'it is longer than a million characters');
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Quotes are special only after the series. */
function hasOpenQuote(text: string): boolean {
  if (text.trimStart().startsWith('#')) return false;
  let isOpen = false;
  for (let at = seriesEnd(text); at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') isOpen = !isOpen;
  }
  return isOpen;
}

function toHistory(
  line: string,
  number: number,
  options: LineProtocolOptions,
  isExport: boolean,
): HistoryItem | undefined {
  const end = seriesEnd(line);
  if (end === line.length) throw new BadLine(number, 'there are no fields');
  const [measurement = '', ...tags] = splitUnescaped(line.slice(0, end));
  const name = unescaped(measurement);
  if (options.measurement !== undefined && name !== options.measurement) return undefined;
  const rest = line.slice(end);
  if (!/ -?\d+$/.test(rest)) throw new BadLine(number, 'it has no time, and history needs one');
  const named = /^agent\/(.+)\/data$/.exec(name)?.[1];
  const tag = options.agentTag === undefined ? undefined : tags.find((each) => tagKey(each) === options.agentTag);
  if (options.agentTag !== undefined && tag === undefined && options.agent === undefined) {
    throw new BadLine(number, `it has no tag ${options.agentTag}`);
  }
  const ap_id = tag === undefined ? (options.agent ?? named) : unescaped(tag.slice(tag.indexOf('=') + 1));
  if (!ap_id) throw new BadLine(number, 'the agent is unknown: set --agent or --agent-tag');
  // Remove the tag: in the metric names it would only repeat the agent.
  const kept = tags.filter((each) => each !== tag);
  const series = [named === undefined ? measurement : ownMeasurement(ap_id), ...kept].join(',');
  return { ap_id, text: series + (isExport && named !== undefined ? withNames(rest) : rest), number };
}

/** Versions of Weft that stored telemetry in InfluxDB encoded some characters of names. An export has one field a line. */
function withNames(fields: string): string {
  const [key] = /^ (?:\\.|[^=\\])*/s.exec(fields)!;
  const decoded = key.replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decoded + fields.slice(key.length);
}

/** The position of the first unescaped space. */
function seriesEnd(line: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') return at;
  }
  return line.length;
}

function splitUnescaped(series: string): string[] {
  return series.match(/(?:\\.|[^,\\])+/gs) ?? [];
}

function tagKey(tag: string): string {
  return unescaped(/^(?:\\.|[^=\\])*/s.exec(tag)![0]);
}

function unescaped(name: string): string {
  return name.replaceAll(/\\([, =])/g, '$1');
}

export interface HistoryLine {
  ap_id: string;
  /** In the line protocol, without the end of the line. */
  text: string;
  /** In the file, counted from 1. */
  number: number;
}

/** An invalid line. */
export class BadLine extends Error {
  override name = 'BadLine';
  readonly number: number;

  constructor(number: number, why: string) {
    super(`line ${number}: ${why}`);
    this.number = number;
  }
}

/** The items of a file: valid and invalid lines, in order. */
export type HistoryItem = HistoryLine | BadLine;

/** The measurement whose fields keep their names as metrics. */
export function ownMeasurement(ap_id: string): string {
  return `agent/${ap_id}/data`.replaceAll(/[, ]/g, '\\$&');
}
