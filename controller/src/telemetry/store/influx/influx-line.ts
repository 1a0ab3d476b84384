// How names and samples are written for InfluxDB: names that line protocol or InfluxQL could misread are encoded so that
// they come back as they went in; all others stay readable for whoever looks into the database.
import type { Sample } from '../telemetry-store.ts';

/** A field as line protocol wants it. */
export interface LineField {
  isText: boolean;
  /** The encoded name, escaped. */
  key: string;
}

// Line protocol has no way to write a backslash before a comma, a blank or an equals sign, nor a line break; the percent
// sign marks what was encoded.
const unsafeInNames = /[\x00-\x1f\x7f"\\%]/g;
const unsafeInAgents = /[^A-Za-z0-9._:@+-]/g;

export function encodeName(name: string): string {
  const encoded = name.replace(unsafeInNames, percentEncode);
  // InfluxDB keeps `time` for itself, and names such as `_name`.
  return encoded === 'time' || encoded.startsWith('_') ? percentEncode(encoded[0]!) + encoded.slice(1) : encoded;
}

export function decodeName(encoded: string): string {
  return encoded.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** A measurement that needs no escaping in line protocol nor in quotes. */
export function measurementOf(ap_id: string): string {
  return `agent/${ap_id.replace(unsafeInAgents, percentEncode)}/data`;
}

export function lineFieldOf(name: string, isText: boolean): LineField {
  return { isText, key: encodeName(name).replace(/[, =]/g, '\\$&') };
}

/** One line for each sample that has fields, each ended by a line break. Metrics are always floats. */
export function linesOf(
  measurement: string,
  samples: readonly Sample[],
  fields: ReadonlyMap<string, LineField>,
): string {
  let lines = '';
  for (const { ts, names, values, texts } of samples) {
    let separator = `${measurement} `;
    for (let index = 0; index < names.length; index++) {
      lines += `${separator}${fields.get(names[index]!)!.key}=${values[index]}`;
      separator = ',';
    }
    for (const [name, text] of texts) {
      lines += `${separator}${fields.get(name)!.key}="${text.replace(/[\\"]/g, '\\$&')}"`;
      separator = ',';
    }
    if (separator === ',') lines += ` ${ts}\n`;
  }
  return lines;
}

function percentEncode(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}
