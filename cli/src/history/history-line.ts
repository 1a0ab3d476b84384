// One line of history in the line protocol, with its line number in the file.

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
