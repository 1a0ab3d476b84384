// `weft import`: imports history from files, on behalf of access points.
import type { Command, CommandLine } from '../command.ts';
import { connect, identityHelp, urlOf, urlOption } from '../connection.ts';
import { readCsvHistory } from '../history/csv-history.ts';
import { HistoryWriter } from '../history/history-writer.ts';
import { BadLine, exportHeader, type HistoryItem, readLineProtocol } from '../history/line-protocol-history.ts';
import { openText } from '../history/text-source.ts';
import { ProgressBar } from '../progress-bar.ts';
import { CommandFailure, interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { counted, printable } from '../table.ts';

const precisions = ['ns', 'us', 'ms', 's', 'm', 'h'];
const formats = ['csv', 'line'];
/** The number of skipped lines that are reported. */
const maxTold = 20;
/** The format must be recognised within so many characters. */
const maxSniffed = 1024 * 1024;

export const importCommand: Command = {
  summary: 'import history from CSV or InfluxDB’s line protocol',
  usage: [
    'import FILE|- --agent AGENT [--skip-bad]',
    'import FILE|- --agent-tag NAME [--skip-bad]',
    'import EXPORT [--skip-bad]',
  ],
  ask: 'Give one file, or - for standard input.',
  about: `For administrators. The file may be compressed with gzip, and of any size. A CSV has a column of times and a column for each metric, or
the columns metric and value; empty cells are skipped. Lines of the line protocol get the same metric names
as when the agent posts them. EXPORT is what influx_inspect export wrote of the InfluxDB that an earlier Weft stored telemetry in:
it names the agents. Importing the same file again changes nothing, so after a failure import the whole file again.
${identityHelp}`,
  options: {
    agent: { value: 'AGENT', about: 'the agent of all lines' },
    'agent-tag': { value: 'NAME', about: 'the tag or column that names the agent of a line' },
    format: { value: 'FORMAT', about: 'csv or line; default: detected' },
    'time-column': {
      value: 'NAME',
      about: 'the column of times: epoch in s, ms, us or ns, or RFC 3339 (default: ts, time, …)',
    },
    measurement: { value: 'NAME', about: 'only lines of this measurement' },
    precision: {
      value: 'UNIT',
      about: `the unit of times in the line protocol: ${precisions.join(', ')} (default: ns)`,
    },
    'skip-bad': { about: 'skip and count invalid lines' },
    json: { about: 'print JSON' },
    ...urlOption,
  },
  examples: [
    'import roof.csv --agent ap-roof-1 --time-column when',
    'import fleet.lp.gz --agent-tag host --precision s',
    'import - --agent ap-roof-1 --measurement radio < old.lp',
  ],
  async run(line, around) {
    const path = line.words[0]!;
    const wanted = { format: oneOf(line, 'format', formats), precision: oneOf(line, 'precision', precisions) ?? 'ns' };
    const source = openText(path, around);
    const { format, pieces } = await recognise(source.pieces, wanted.format ?? formatOfName(path));
    const tally = new Tally(line.has('skip-bad'), around);
    const signal = interruptionOf(around);
    const app = connect(line, around);
    const writer = new HistoryWriter({
      url: urlOf(line, around),
      signal,
      precision: format === 'csv' ? 'ms' : wanted.precision,
      token: async () => (await app.logIn({ signal })).token,
      onBad: (bad) => tally.refuse(bad),
      onStored: (lines) => tally.store(lines, source.share()),
    });
    try {
      for await (const item of read(format, pieces, line, around)) {
        if (item instanceof BadLine) tally.refuse(item);
        else await writer.add(item);
      }
      await writer.flush();
    } catch (error) {
      throw tally.explain(error);
    } finally {
      tally.bar.clear();
    }
    tally.tell(writer, line.has('json'));
  },
};

function read(format: string, pieces: AsyncIterable<string>, line: CommandLine, around: Surroundings) {
  const agent = line.get('agent');
  const agentTag = line.get('agent-tag');
  if (format === 'line') {
    return readLineProtocol(pieces, { agent, agentTag, measurement: line.get('measurement') });
  }
  return readCsvHistory(pieces, {
    agent,
    agentColumn: agentTag,
    timeColumn: line.get('time-column'),
    onTimes: (column, kind) => around.stderr.write(`Times are in column ${printable(column)}, as ${kind}.\n`),
  }) as AsyncGenerator<HistoryItem>;
}

/** Counts stored and skipped lines. */
class Tally {
  readonly bar: ProgressBar;
  readonly #skips: boolean;
  readonly #around: Surroundings;
  #stored = 0;
  #skipped = 0;

  constructor(skips: boolean, around: Surroundings) {
    this.#skips = skips;
    this.#around = around;
    this.bar = new ProgressBar(around.stderr);
  }

  store(lines: number, share: number | undefined): void {
    this.#stored += lines;
    this.bar.show(share, counted(this.#stored, 'line'));
  }

  refuse(bad: BadLine): void {
    if (!this.#skips) throw bad;
    this.#skipped += 1;
    if (this.#skipped > maxTold) return;
    this.bar.clear();
    this.#around.stderr.write(`${printable(bad.message)}\n`);
  }

  /** Turns an invalid line into a failure that says how many lines were stored; other errors are unchanged. */
  explain(error: unknown): unknown {
    if (!(error instanceof BadLine)) return error;
    const next = `Correct it and import the file again${this.#skips ? '' : ', or skip such lines with --skip-bad'}.`;
    const end = /[.?]$/.test(error.message) ? '' : '.';
    return new CommandFailure(
      printable(`${error.message}${end} Stored before: ${counted(this.#stored, 'line')}. ${next}`),
    );
  }

  tell({ merged, rounded }: { merged: number; rounded: number }, isJson: boolean): void {
    const { stdout } = this.#around;
    if (isJson) {
      stdout.write(`${JSON.stringify({ stored: this.#stored, skipped: this.#skipped, merged, rounded })}\n`);
      return;
    }
    stdout.write(`Stored ${counted(this.#stored, 'line')}${this.#skipped > 0 ? `, skipped ${this.#skipped}` : ''}.\n`);
    if (merged > 0) {
      stdout.write(`${counted(merged, 'line')} replaced fields of others: times are kept in milliseconds.\n`);
    }
    if (rounded > 0) {
      const integers = counted(rounded, 'integer');
      stdout.write(`Rounded ${integers} with too many digits for a number; quoted, such digits are a text.\n`);
    }
  }
}

function oneOf(line: CommandLine, option: string, allowed: readonly string[]): string | undefined {
  const given = line.get(option);
  if (given === undefined || allowed.includes(given)) return given;
  throw new UsageError(`--${option} must be one of ${allowed.join(', ')}.`);
}

function formatOfName(path: string): string | undefined {
  if (/\.csv(\.gz)?$/i.test(path)) return 'csv';
  return /\.(lp|line|influx)(\.gz)?$/i.test(path) ? 'line' : undefined;
}

/** A line of the line protocol contains an equals sign; the header of a table does not. An export says what it is. */
async function recognise(pieces: AsyncIterable<string>, format: string | undefined) {
  if (format !== undefined) return { format, pieces };
  const source = pieces[Symbol.asyncIterator]();
  let text = '';
  for (;;) {
    const { done, value } = await source.next();
    if (!done) text += value;
    const first = text.split('\n').find((each) => each.trim() !== '' && !each.startsWith('#'));
    if (!done && text.length < maxSniffed && (first === undefined || !text.includes(`${first}\n`))) continue;
    async function* all() {
      yield text;
      yield* { [Symbol.asyncIterator]: () => source };
    }
    const isLine = text.startsWith(exportHeader) || first?.includes('=');
    return { format: isLine ? 'line' : 'csv', pieces: all() };
  }
}
