// `weft data`: exports the telemetry of an access point.
import { rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { withAccessPoint } from '../access-point-names.ts';
import type { Command } from '../command.ts';
import { connect, identityHelp, urlOption } from '../connection.ts';
import { warnOfUnknownMetrics } from '../known-metrics.ts';
import { parseMoment } from '../moments.ts';
import { ProgressBar } from '../progress-bar.ts';
import { CommandFailure, interruptionOf, type Output, UsageError, writeAll } from '../surroundings.ts';
import { printable } from '../table.ts';

export const dataCommand: Command = {
  summary: 'export the telemetry of an access point',
  usage: ['data AGENT [--from TIME] [--to TIME] [--metric NAME]... [--csv | --json] [--out FILE]'],
  ask: 'Give one access point. weft agents lists them.',
  about: `The default format is CSV; --json prints one JSON object per line. Examples of times: 1h (ago), 2d, 2026-11-15, 2026-11-15T09:30Z.
${identityHelp}`,
  options: {
    from: { value: 'TIME', about: 'start (default: 1h)' },
    to: { value: 'TIME', about: 'end (default: now)' },
    metric: { value: 'NAME', about: 'only this metric; repeatable', isMany: true },
    csv: { about: 'one line per time, one column per metric' },
    json: { about: 'one JSON object per line' },
    out: { value: 'FILE', about: 'write to this file; default: standard output' },
    ...urlOption,
  },
  examples: ['data ap-roof-1', 'data ap-roof-1 --from 2d --csv --out roof.csv', 'data ap-roof-1 --from 10m --json'],
  async run(line, around) {
    const given = line.words[0]!;
    if (line.has('csv') && line.has('json')) throw new UsageError('Give --csv or --json, not both.');
    const from = parseMoment(line.get('from') ?? '1h', '--from');
    const to = parseMoment(line.get('to') ?? 'now', '--to');
    if (from >= to) throw new UsageError('--from must be before --to.');
    const signal = interruptionOf(around);
    const app = connect(line, around);
    const format = line.has('json') ? 'ndjson' : 'csv';
    const options = { from, to, metrics: [...line.all('metric')], signal, format } as const;
    const file = await withAccessPoint(app, given, async (ap_id) => {
      const found = await app.download(ap_id, options);
      await warnOfUnknownMetrics(app, { agents: [ap_id], names: options.metrics, from }, around);
      return found;
    });
    const path = line.get('out');
    const bar = new ProgressBar(around.stderr);
    let bytes = 0;
    const copy = async (write: (piece: Uint8Array) => Promise<void>) => {
      for await (const piece of file) {
        bytes += piece.length;
        await write(piece);
        // A progress bar would be mixed with the printed data.
        if (path !== undefined || !around.stdout.isTTY) bar.show(undefined, `${(bytes / 1e6).toFixed(1)} MB`);
      }
    };
    try {
      await (path === undefined ? copy(printer(around.stdout)) : writeWholeFile(path, copy));
    } catch (error) {
      // An error of the disk, not of Weft.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw new CommandFailure(`${path} cannot be written: ${(error as Error).message}`);
    } finally {
      bar.clear();
    }
  },
};

/** Reported names must not move the cursor of a terminal. */
function printer(stdout: Output): (piece: Uint8Array) => Promise<void> {
  if (!stdout.isTTY) return (piece) => writeAll(stdout, piece);
  const utf8 = new TextDecoder();
  return (piece) => writeAll(stdout, utf8.decode(piece, { stream: true }).split(/\r?\n/).map(printable).join('\n'));
}

// Writes a file atomically: it appears under its name only when it is complete.

/** `fill` receives the write function. Throws its errors and those of the disk; the previous file is unchanged then. */
export async function writeWholeFile(
  path: string,
  fill: (write: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  // An existing pipe or device is written to directly.
  const isOrdinary = statSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
  const beside = isOrdinary ? `${path}.${process.pid}.part` : path;
  const removePart = () => isOrdinary && rmSync(beside, { force: true });
  const file = await open(beside, 'w');
  process.once('exit', removePart);
  try {
    await fill((piece) => file.writeFile(piece));
    await file.close();
    if (isOrdinary) await rename(beside, path);
  } catch (error) {
    await file.close().catch(() => {});
    removePart();
    throw error;
  } finally {
    process.off('exit', removePart);
  }
}
