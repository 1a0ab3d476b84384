// Records as lines of text with a checksum, so that after a sudden end it is clear which of them are whole.
import { createHash } from 'node:crypto';

const sumLength = 16;

/** The text must hold no line breaks; JSON has none. */
export function toLine(text: string): string {
  return `${sumOf(text)} ${text}\n`;
}

/** How long the line of a text is. */
export function lineBytes(text: string): number {
  return sumLength + 2 + Buffer.byteLength(text);
}

/**
 * What the bytes of a file hold: the text of each line, undefined for a damaged one. Damage at the end, where the last
 * write was cut short, is left out; `size` is where it begins.
 */
export function readLines(bytes: Buffer): { texts: (string | undefined)[]; size: number } {
  const texts: (string | undefined)[] = [];
  let count = 0;
  let size = 0;
  let start = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    const text = readLine(bytes.toString('utf8', start, end));
    start = end + 1;
    texts.push(text);
    if (text === undefined) continue;
    count = texts.length;
    size = start;
  }
  return { texts: texts.slice(0, count), size };
}

function readLine(line: string): string | undefined {
  const text = line.slice(sumLength + 1);
  return line[sumLength] === ' ' && line.slice(0, sumLength) === sumOf(text) ? text : undefined;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, sumLength);
}
