// `weft data`: what an access point has reported, as a file.
import { createWriteStream } from 'node:fs';
import type { ClientCommand } from '../command.ts';
import { connect, identityHelp, urlOption } from '../connection.ts';
import { parseMoment } from '../moments.ts';
import { ProgressBar } from '../progress-bar.ts';
import { CommandFailure, exitCode, interruptionOf, type Output, UsageError } from '../surroundings.ts';

export const dataCommand: ClientCommand = {
  summary: 'fetch what an access point has reported',
  usage: ['data AGENT [--from TIME] [--to TIME] [--metric NAME]... [--csv | --json] [--out FILE]'],
  about: `CSV unless told; --json gives one JSON object a line. Times are such as 1h (ago), 2d, 2026-11-15 or 2026-11-15T09:30Z.
${identityHelp}`,
  options: {
    from: { value: 'TIME', about: 'where it begins (default: 1h)' },
    to: { value: 'TIME', about: 'where it ends (default: now)' },
    metric: { value: 'NAME', about: 'only this metric; may be given several times', isMany: true },
    csv: { about: 'a line for each moment, a column for each metric' },
    json: { about: 'a JSON object a line' },
    out: { value: 'FILE', about: 'write to this file rather than to standard output' },
    ...urlOption,
  },
  examples: ['data ap-roof-1', 'data ap-roof-1 --from 2d --csv --out roof.csv', 'data ap-roof-1 --from 10m --json'],
  async run(line, around) {
    const [ap_id, ...rest] = line.words;
    if (ap_id === undefined || rest.length > 0) throw new UsageError('Give one access point. weft agents lists them.');
    if (line.has('csv') && line.has('json')) throw new UsageError('Give --csv or --json, not both.');
    const from = parseMoment(line.get('from') ?? '1h', '--from');
    const to = parseMoment(line.get('to') ?? 'now', '--to');
    if (from >= to) throw new UsageError('--from must lie before --to.');
    const signal = interruptionOf(around);
    const app = connect(line, around);
    const file = await app.download(ap_id, {
      ...{ from, to, metrics: [...line.all('metric')], signal },
      format: line.has('json') ? 'ndjson' : 'csv',
    });
    const path = line.get('out');
    const target: Output = path === undefined ? around.stdout : await openFile(path);
    const bar = new ProgressBar(around.stderr);
    let bytes = 0;
    for await (const piece of file) {
      bytes += piece.length;
      target.write(piece);
      if ((target.writableLength ?? 0) > 1_048_576)
        await new Promise<void>((resolve) => target.once?.('drain', resolve));
      // A bar over what is being printed would be in its way.
      if (path !== undefined || !around.stdout.isTTY) bar.show(undefined, `${(bytes / 1e6).toFixed(1)} MB`);
    }
    bar.clear();
    if (path !== undefined) await closeFile(target as ReturnType<typeof createWriteStream>, path);
    return exitCode.ok;
  },
};

async function openFile(path: string) {
  const stream = createWriteStream(path);
  await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject)).catch((error) => {
    throw new CommandFailure(`${path} cannot be written: ${error.message}`);
  });
  return stream;
}

async function closeFile(stream: ReturnType<typeof createWriteStream>, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => stream.once('error', reject).end(resolve)).catch((error) => {
    throw new CommandFailure(`${path} cannot be written: ${error.message}`);
  });
}
