// `weft command`: sends a command to one or many access points, and shows its result.
import { type DeclaredArgument, readDeclaredCommands } from '@weft/contract/declared-commands';
import { isGlob } from '@weft/contract/glob';
import { type App, type BatchAnswer, type CommandReport, type SentCommand, WeftRefusal } from '@weft/sdk';
import { displayNames, matchingNames, silenceOf, withAccessPoint } from '../access-point-names.ts';
import { type Command, jsonOption } from '../command.ts';
import { connect, identityHelp, urlOption } from '../connection.ts';
import { forPeople, refusalSentence } from '../failures.ts';
import { jsonOrText, toJson } from '../json-text.ts';
import { inWords as durationInWords, parseDuration } from '../moments.ts';
import { exitCode, interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { type Look, lookOf, naturally, printable, tableOptions, toTable } from '../table.ts';

export const commandCommand: Command = {
  summary: 'send a command and wait for its result',
  usage: ['command AGENT NAME [ARGUMENT=VALUE]... [options]', "command 'PATTERN' NAME [ARGUMENT=VALUE]... [options]"],
  ask: 'Give the access point and the command.',
  about: `Values are parsed as JSON (12, true, "text") if possible, else they are text. Exit code: 0 if the command succeeded (with --no-wait or a pattern: was accepted), 2 if the access point does not know it or an argument is invalid, 3 after a conflict, because another caller holds the lease, else 1. AGENT is an ap_id, or a display name that only one access point has; a pattern that matches no ap_id is tried with display names.
${identityHelp}`,
  options: {
    hold: {
      value: 'TIME',
      about: 'duration of the lease, in which others cannot change the value; default: set by the conflict rules',
    },
    expires: { value: 'TIME', about: 'give up after this time (default: 10m)' },
    guard: {
      value: 'RULE',
      about: "a limit on a metric, such as 'rssi_dbm>-80'; if the command breaks it, the previous value is restored",
    },
    'dry-run': { about: 'only show the decision, send nothing' },
    'no-wait': { about: 'do not wait for the result' },
    wide: tableOptions.wide,
    ...jsonOption,
    ...urlOption,
  },
  examples: [
    'command ap-roof-1 set_tx_power dbm=17',
    'command ap-roof-1 set_tx_power dbm=17 --hold 5m --dry-run',
    "command 'ap-hall-*' sleep --no-wait --json",
  ],
  async run(line, around) {
    const [ap_id, name, ...pairs] = line.words as [string, string, ...string[]];
    const options = {
      ...seconds('holdSeconds', line.get('hold'), '--hold'),
      ...seconds('expiresIn', line.get('expires'), '--expires'),
      ...(line.has('guard') && { guard: line.get('guard')! }),
      signal: interruptionOf(around),
    };
    const args = parseArguments(pairs);
    const app = connect(line, around);
    const wanted: Wanted = {
      app,
      around,
      ap_id,
      name,
      args,
      options,
      isJson: line.has('json'),
      look: lookOf(line, around),
    };
    if (isGlob(ap_id)) {
      if (line.has('guard')) throw new UsageError('--guard is for one access point.');
      return sendMany(wanted, line.has('dry-run'));
    }
    if (line.has('dry-run')) return preview(wanted);
    return send(wanted, !line.has('no-wait'));
  },
};

/** In seconds, where --expires says nothing. */
const defaultExpiry = 600;

/** Reasons of a batch that are none of a conflict. */
const notConflicts: readonly string[] = ['agent_not_found', 'not_permitted', 'too_many_commands'];

interface Wanted {
  app: App;
  around: Surroundings;
  ap_id: string;
  name: string;
  args: Record<string, unknown>;
  options: { holdSeconds?: number; expiresIn?: number; guard?: string; signal: AbortSignal };
  isJson: boolean;
  look: Look;
}

/** Throws UsageError. */
export function parseArguments(pairs: readonly string[]): Record<string, unknown> {
  const found = new Map<string, unknown>();
  for (const pair of pairs) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined) {
      throw new UsageError(`Arguments must have the form name=value, not "${pair}".`);
    }
    if (found.has(name)) throw new UsageError(`The argument ${name} was given twice.`);
    found.set(name, jsonOrText(text));
  }
  return Object.fromEntries(found);
}

function seconds(key: string, text: string | undefined, option: string): Record<string, number> {
  if (text === undefined) return {};
  return { [key]: text === '0' ? 0 : parseDuration(text, option) };
}

/** A refusal of the command itself also says what the access point knows. */
async function ask<T>({ app, name }: Wanted, ap_id: string, send: () => Promise<T>): Promise<T> {
  return send().catch(async (error) => {
    if (!(error instanceof WeftRefusal) || error.status !== 422) throw error;
    const known = await declaredBy(app, ap_id, name);
    throw new WeftRefusal(error.status, error.code, `${refusalSentence(error)} ${known}`.trim());
  });
}

/** The arguments of a command, or the commands that there are; empty if the access point does not say. */
async function declaredBy(app: App, ap_id: string, name: string): Promise<string> {
  const configuration = await app.agent(ap_id).then(
    (agent) => agent.configuration,
    () => ({}),
  );
  const declared = readDeclaredCommands(configuration, { withUnits: true });
  if (!declared) return '';
  const command = declared.get(name);
  if (!command) return `${ap_id} knows these commands: ${[...declared.keys()].sort(naturally).join(', ')}.`;
  if (!command.params) return '';
  const list = Object.entries(command.params).map(([arg, argument]) => `${arg}${boundsOf(argument)}`);
  return `${name} takes ${list.join(', ') || 'no arguments'}.`;
}

function boundsOf({ type, minimum, maximum, enum: values, unit, optional }: DeclaredArgument): string {
  const range = minimum === undefined && maximum === undefined ? undefined : `${minimum ?? ''}..${maximum ?? ''}`;
  const words = [optional && 'optional', values?.slice(0, 20).join('|') ?? type, range, unit].filter(Boolean);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

async function preview(wanted: Wanted): Promise<number> {
  const { app, around, ap_id, name, args, options, isJson } = wanted;
  const decide = (id: string) => ask(wanted, id, () => app.command(id, name, args, { ...options, dryRun: true }));
  const answer = await withAccessPoint(app, ap_id, decide);
  around.stdout.write(isJson ? toLine(answer) : `${answer.verdict}: ${printable(answer.detail)}\n`);
  return answer.verdict === 'rejected' ? exitCode.conflict : exitCode.ok;
}

async function send(wanted: Wanted, isPatient: boolean): Promise<number> {
  const { app, around, ap_id, name, args, options, isJson } = wanted;
  const command = await withAccessPoint(app, ap_id, (id) =>
    ask(wanted, id, () => app.command(id, name, args, options)),
  );
  if (!isPatient) {
    around.stdout.write(isJson ? toLine(command) : `${command.command_id}\n`);
    return exitCode.ok;
  }
  if (!isJson) around.stderr.write(`${command.verdict}: ${printable(command.detail)}\n${await silence(wanted)}`);
  const last = await follow(command, wanted).catch((error) => {
    if (options.signal.aborted) around.stderr.write(`The command continues: ${command.command_id}\n`);
    throw error;
  });
  if (isJson) around.stdout.write(toLine({ ...command, ...last }));
  return last?.state === 'succeeded' ? exitCode.ok : exitCode.failure;
}

/** A line about an access point that cannot answer now. */
async function silence({ app, ap_id, options: { expiresIn = defaultExpiry, signal } }: Wanted): Promise<string> {
  const presences = await withAccessPoint(app, ap_id, (id) => app.presence({ agents: [id], signal })).catch(() => []);
  const silent = silenceOf(presences[0]);
  const patience = `waiting up to ${durationInWords(expiresIn)}, Ctrl+C leaves the command queued`;
  return silent === undefined ? '' : `${printable(ap_id)} ${silent}; ${patience}.\n`;
}

async function follow(command: SentCommand, { around, options, isJson }: Wanted): Promise<CommandReport | undefined> {
  let last: CommandReport | undefined;
  for await (const report of command.states({ signal: options.signal })) {
    last = report;
    if (!isJson) around.stdout.write(`${printable(inWords(report))}\n`);
  }
  options.signal.throwIfAborted();
  return last;
}

function inWords({ state, detail, result, applied }: CommandReport): string {
  // For a command that was sent, `detail` is only the reason of its acceptance.
  const isOnItsWay =
    ['sent', 'received', 'succeeded'].includes(state) || (state === 'failed' && (result ?? null) !== null);
  const why = isOnItsWay ? null : detail;
  const said = [why, result, applied].filter((each) => each !== undefined && each !== null);
  return [state, ...said.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))].join('  ');
}

async function sendMany(
  { app, around, ap_id, name, args, options, isJson, look }: Wanted,
  dryRun: boolean,
): Promise<number> {
  const { guard: _, ...rest } = options;
  const answer: BatchAnswer = await app.batch(await matchingNames(app, ap_id), name, args, { ...rest, dryRun });
  if (isJson) around.stdout.write(toLine(answer));
  else {
    const sorted = answer.targets.toSorted((a, b) => naturally(a.ap_id, b.ap_id));
    const nameOf = await displayNames(app);
    const rows = sorted.map(({ ap_id, verdict, detail }) => [nameOf(ap_id), ap_id, verdict, forPeople(detail)]);
    around.stdout.write(toTable(['NAME', 'ACCESS POINT', 'VERDICT', 'WHY'], rows, around.stdout, look));
  }
  const refused = answer.targets.filter(({ verdict }) => verdict === 'rejected');
  if (refused.length === 0) return exitCode.ok;
  const invalid = refused.find(({ reason }) => reason === 'invalid_command');
  if (invalid) {
    const known = await declaredBy(app, invalid.ap_id, name);
    if (known !== '' && !isJson) around.stderr.write(`${printable(known)}\n`);
    return exitCode.usage;
  }
  return refused.some(({ reason }) => !notConflicts.includes(reason)) ? exitCode.conflict : exitCode.failure;
}

function toLine(value: unknown): string {
  return `${toJson(value)}\n`;
}
