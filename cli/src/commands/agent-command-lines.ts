// `weft agent line` and `weft agent import`: create an enrolment token and an install line for each access point.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { EnrolmentToken } from '@weft/contract';
import { enrolmentLine, type InstallChecksums, toShellWord } from '@weft/contract/enrolment-line';
import { type App, WeftRefusal } from '@weft/sdk';
import { parseApId, parseInterval } from '../access-point/agent-settings.ts';
import { parseAllowance } from '../access-point/commands/allowance.ts';
import { parseAssignments, problemsOfConfiguration } from '../access-point/configuration.ts';
import { ListError, type ListedAccessPoint, readAccessPointList } from '../access-point/enrolment/access-point-list.ts';
import { replacementPrefix } from '../access-point/own-password.ts';
import type { CommandLine } from '../command.ts';
import { connect, parseUrl, urlOf } from '../connection.ts';
import { toCsvLine } from '../csv.ts';
import { toJson } from '../json-text.ts';
import { ProgressBar } from '../progress-bar.ts';
import { CommandFailure, interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { counted } from '../table.ts';

const daySeconds = 86_400;
const maxShownProblems = 100;

interface MadeLine {
  ap_id: string;
  line: string;
  /** Of the line, for agents that are installed in another way. */
  token: string;
  /** Null of a replacement: it is valid until the new machine has logged in. */
  expires_at: string | null;
}

export async function makeLine(ap_id: string, line: CommandLine, around: Surroundings): Promise<void> {
  const wanted = { ap_id: parseApId(ap_id), assignments: [] };
  const maker = new LineMaker(line, around);
  const [problem] = problemsOfConfiguration(parseAssignments(line.all('set')));
  if (problem !== undefined) throw new UsageError(`--set: ${problem}.`);
  const isReplaced = line.has('replace');
  if (isReplaced !== (await maker.isKnown(ap_id))) {
    throw new CommandFailure(
      isReplaced
        ? `${ap_id} is not registered: leave out --replace.`
        : `${ap_id} is already registered. If another machine replaces it, add --replace: its history is kept.`,
    );
  }
  const made = await maker.make(wanted, isReplaced);
  if (isReplaced) around.stderr.write(`The credentials that ${ap_id} had until now are no longer valid.\n`);
  if (line.all('set').some((text) => /^(site|tags)=/.test(text))) {
    around.stderr.write(
      `The site and the tags of --set are suggestions, unless Weft accepts them (WEFT_ACCEPT_LABELS): once ${ap_id} is registered, set them with weft label ${toShellWord(ap_id)} --site PATH --tag TAG\n`,
    );
  }
  around.stdout.write(line.has('json') ? `${toJson(made, 2)}\n` : `${made.line}\n`);
}

export async function makeLines(path: string, line: CommandLine, around: Surroundings): Promise<void> {
  const { stdout, stderr } = around;
  const maker = new LineMaker(line, around);
  const list = await readList(path, line.all('set'), around);
  const known = await maker.known();
  const wanted = list.filter(({ ap_id }) => !known.has(ap_id));
  for (const { ap_id } of list) if (known.has(ap_id)) stderr.write(`${ap_id} is already registered: skipped\n`);
  const isJson = line.has('json');
  const made: MadeLine[] = [];
  const bar = new ProgressBar(stderr);
  if (!isJson && wanted.length > 0) stdout.write(toCsvLine(['ap_id', 'line']));
  try {
    for (const each of wanted) {
      bar.show(made.length / wanted.length, `${made.length} of ${wanted.length}  ${each.ap_id}`);
      const one = await maker.make(each);
      made.push(one);
      if (!isJson) stdout.write(toCsvLine([one.ap_id, one.line]));
    }
  } catch (error) {
    if (made.length > 0) bar.clear();
    stderr.write(`Created ${made.length} of ${wanted.length} lines; the next is ${wanted[made.length]!.ap_id}\n`);
    throw error;
  } finally {
    bar.clear();
    // Also after a failure: the tokens are shown only once.
    if (isJson) stdout.write(`${toJson(made, 2)}\n`);
  }
  stderr.write(`Created ${counted(made.length, 'line')}, skipped ${list.length - wanted.length}\n`);
}

class LineMaker {
  readonly #app: App;
  readonly #url: string;
  readonly #expiresIn: number;
  readonly #more: string[];
  readonly #signal: AbortSignal;
  #known: Promise<InstallChecksums> | undefined;

  /** Throws UsageError, CommandFailure. */
  constructor(line: CommandLine, around: Surroundings) {
    this.#expiresIn = parseDays(line.get('expires-in')) * daySeconds;
    this.#more = installOptions(line);
    const given = line.get('agent-url');
    this.#url = given === undefined ? urlOf(line, around) : parseUrl(given);
    if (isLoopback(this.#url)) {
      around.stderr.write(
        `Warning: other machines cannot reach ${this.#url}. Set the address for access points with --agent-url\n`,
      );
    }
    this.#app = connect(line, around);
    this.#signal = interruptionOf(around);
  }

  async isKnown(ap_id: string): Promise<boolean> {
    try {
      await this.#app.agent(ap_id, { signal: this.#signal });
      return true;
    } catch (error) {
      if (error instanceof WeftRefusal && error.status === 404) return false;
      throw error;
    }
  }

  async known(): Promise<Set<string>> {
    return new Set((await this.#app.agents({ state: 'all', signal: this.#signal })).map(({ ap_id }) => ap_id));
  }

  /** Once: the same program goes to all. */
  #checksums(): Promise<InstallChecksums> {
    this.#known ??= this.#app.request<InstallChecksums>('GET', '/install/checksums.json', { signal: this.#signal });
    return this.#known;
  }

  async make({ ap_id, assignments }: ListedAccessPoint, isReplaced = false): Promise<MadeLine> {
    const checksums = await this.#checksums();
    const { token, expires_at } = await (isReplaced ? this.#replace(ap_id) : this.#enrol(ap_id));
    const more = [...this.#more, ...assignments.flatMap((text) => ['--set', text])];
    return { ap_id, line: enrolmentLine({ url: this.#url, ap_id, token, checksums, more }), token, expires_at };
  }

  async #enrol(ap_id: string): Promise<{ token: string; expires_at: string }> {
    // A name without wildcards matches only itself.
    const json = { ap_id_pattern: ap_id, expires_in: this.#expiresIn, max_uses: 1 };
    const options = { json, signal: this.#signal };
    const made = await this.#app.request<EnrolmentToken>('POST', '/api/v1/enrolment_tokens', options);
    return { token: made.token ?? '', expires_at: made.expires_at };
  }

  /** Ends the sessions of the old machine. The new one logs in with this once, and is given another password then. */
  async #replace(ap_id: string): Promise<{ token: string; expires_at: null }> {
    const token = replacementPrefix + randomBytes(32).toString('base64url');
    const path = `/api/v1/agents/${encodeURIComponent(ap_id)}`;
    await this.#app.request('PUT', path, { json: { password: token }, signal: this.#signal });
    return { token, expires_at: null };
  }
}

async function readList(
  path: string,
  common: readonly string[],
  { stdin }: Surroundings,
): Promise<ListedAccessPoint[]> {
  const source = path === '-' ? stdin : createReadStream(path);
  source.setEncoding('utf8');
  try {
    return await readAccessPointList(source as AsyncIterable<string>, common);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall)
      throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}`);
    if (!(error instanceof ListError)) throw error;
    const { problems } = error;
    const shown = problems.slice(0, maxShownProblems).map((problem) => `  ${problem}\n`);
    const more = problems.length > shown.length ? `  and ${problems.length - shown.length} more\n` : '';
    throw new CommandFailure(`The table is invalid, and nothing was created:\n${shown.join('')}${more}`.trimEnd());
  }
}

/** The options for the installation on the access point, validated here. */
function installOptions(line: CommandLine): string[] {
  try {
    parseAssignments(line.all('set'));
    parseAllowance(line.all('allow'));
  } catch (error) {
    throw new UsageError(`${(error as Error).message}.`);
  }
  parseInterval(line.get('interval'));
  const given = ['interval', 'allow', 'commands-dir', 'set'].flatMap((name) =>
    line.all(name).flatMap((value) => [`--${name}`, value]),
  );
  return [...(line.has('link') ? ['--link'] : []), ...given];
}

function parseDays(text = '7'): number {
  const days = Number(text);
  if (text.trim() !== '' && Number.isInteger(days) && days >= 1 && days <= 365) return days;
  throw new UsageError('--expires-in must be a whole number of days from 1 to 365.');
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}
