// Formats rows as a table for people; programs use JSON.
import type { Output } from './surroundings.ts';

/** The last column is cut at the edge of a terminal. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[], output: Output): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) => Math.max(...lines.map((row) => width(row[column] ?? ''))));
  const edge = output.isTTY ? (output.columns ?? 80) : Number.POSITIVE_INFINITY;
  return lines
    .map((row) => {
      const text = row.map((cell, column) => cell + ' '.repeat(Math.max(0, widths[column]! - width(cell)))).join('  ');
      return `${cut(text.trimEnd(), edge)}\n`;
    })
    .join('');
}

/** Names from other users must not move the cursor or colour the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}

export function cut(text: string, columns: number): string {
  return width(text) <= columns ? text : `${[...text].slice(0, Math.max(0, columns - 1)).join('')}…`;
}

function width(text: string): number {
  return [...text].length;
}
