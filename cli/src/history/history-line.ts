// One piece of history on its way into Weft: a line of the line protocol and where in the file it stands.

export interface HistoryLine {
  ap_id: string;
  /** In the line protocol, without the end of the line. */
  text: string;
  /** In the file, counted from 1. */
  number: number;
}

/** A line that cannot be taken in. */
export class BadLine extends Error {
  override name = 'BadLine';
  readonly number: number;

  constructor(number: number, why: string) {
    super(`line ${number}: ${why}`);
    this.number = number;
  }
}

/** What is read from a file: lines, and in their places those that cannot be used. */
export type HistoryItem = HistoryLine | BadLine;

/** The measurement under which Weft takes fields by their own names. */
export function ownMeasurement(ap_id: string): string {
  return `agent/${ap_id}/data`.replaceAll(/[, ]/g, '\\$&');
}
