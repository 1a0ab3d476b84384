// Formats sizes, and shows the progress of a command in bytes.
import type { ProgressBar } from '@weft/cli';

export function showBytes(bar: ProgressBar, stage: string, bytes: number, totalBytes: number): void {
  bar.show(totalBytes === 0 ? 1 : bytes / totalBytes, `${stage}: ${inBytes(bytes)} of ${inBytes(totalBytes)}`);
}

export function inBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`;
}
