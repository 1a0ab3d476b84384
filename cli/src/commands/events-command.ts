// `weft events`: what happened in the network, and with --follow what happens.
import type { App, EventItem, EventPattern } from '@weft/sdk';
import { displayNames, type NameOf, withAccessPoint } from '../access-point-names.ts';
import { type Command, type CommandLine, countOf, requireOptions } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { parseMoment, toMoment } from '../moments.ts';
import { CommandFailure, firstOf, interruptionOf, type Surroundings, UsageError, writeAll } from '../surroundings.ts';
import { type Look, lookOf, printable } from '../table.ts';

const readOptions = ['kind', 'agent', 'select', 'json', 'iso', 'wide', 'url'];
/** Devices come and go all the time. */
export const usualFamilies = [
  ...['agent', 'alarm', 'clock', 'command', 'config', 'conflict'],
  ...['incident', 'node', 'rollout', 'run', 'storage', 'webhook'],
];

export const eventsCommand: Command = {
  summary: 'show what happened, and follow what happens',
  usage: [
    'events [--kind KIND]... [--agent AGENT] [--select SELECTOR] [--from TIME] [--to TIME] [--limit N]',
    'events --follow [--after ID]',
  ],
  ask: 'weft events takes options only; see weft events --help.',
  about: `Without --follow, prints the newest events, oldest of them first. With --follow, prints each event as it comes until Ctrl+C, and goes on after a lost connection without missing any. --json prints one JSON object per line. Kinds: agent.offline, or families such as 'alarm.*'. Moves of devices are left out; --kind 'device.*' shows them, --kind '*' everything.
${identityHelp}`,
  options: {
    kind: { value: 'KIND', about: "only this kind, or family ('alarm.*'); repeatable", isMany: true },
    agent: { value: 'AGENT', about: 'only events about this access point' },
    select: { value: 'SELECTOR', about: "only events about these access points, such as 'site:uk/**'" },
    from: { value: 'TIME', about: 'start (default: 24h)' },
    to: { value: 'TIME', about: 'end (default: now)' },
    limit: { value: 'N', about: 'at most this many (default: 50)' },
    follow: { about: 'print events as they come' },
    after: { value: 'ID', about: 'with --follow: begin after the event with this id' },
    ...listOptions,
  },
  examples: ['events', "events --kind 'agent.*' --from 8h", 'events --follow', 'events --follow --after 1200 --json'],
  async run(line, around) {
    if (line.has('follow')) {
      requireOptions(line, 'events --follow', [...readOptions, 'follow', 'after']);
      return follow(line, around);
    }
    requireOptions(line, 'events', [...readOptions, 'from', 'to', 'limit']);
    return list(line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const limit = countOf(line, 'limit') ?? 50;
  const from = parseMoment(line.get('from') ?? '24h', '--from');
  const to = parseMoment(line.get('to') ?? 'now', '--to');
  if (from >= to) throw new UsageError('--from must be before --to.');
  const app = connect(line, around);
  const agent = await agentOf(app, line);
  const asked = { ...wanted(line), agent: agent.ap_id, from, until: to };
  const newest = await firstOf((signal) => app.pastEvents({ ...asked, signal }), limit, around);
  // There may be events of one that was removed.
  if (newest.length === 0 && agent.failure) throw agent.failure;
  const print = printer(app, line, around);
  for (const event of newest.reverse()) await print(event);
  if (newest.length === 0) around.stderr.write('Nothing happened in that time. --from shows more.\n');
}

async function follow(line: CommandLine, around: Surroundings): Promise<void> {
  const after = line.get('after');
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw new UsageError('--after must be the id of an event.');
  const signal = interruptionOf(around);
  const app = connect(line, around, { patienceMs: 60_000 });
  const agent = await agentOf(app, line);
  if (agent.failure && after === undefined) throw agent.failure;
  const print = printer(app, line, around);
  const events = app.events({
    ...wanted(line),
    agent: agent.ap_id,
    ...(after !== undefined && { after: Number(after) }),
    onGap: () => around.stderr.write('Some events before these are no longer kept.\n'),
    signal,
  });
  for await (const event of events) await print(event);
}

function wanted(line: CommandLine) {
  const kinds = line.has('kind') ? line.all('kind') : usualFamilies.map((family) => `${family}.*`);
  return { kinds: kinds as EventPattern[], selector: line.get('select') };
}

/** The ap_id of --agent, and the failure if there is no such access point now. */
async function agentOf(app: App, line: CommandLine): Promise<{ ap_id?: string; failure?: CommandFailure }> {
  const given = line.get('agent');
  if (given === undefined) return {};
  try {
    return { ap_id: (await withAccessPoint(app, given, (ap_id) => app.agent(ap_id))).ap_id };
  } catch (failure) {
    if (failure instanceof CommandFailure) return { ap_id: given, failure };
    throw failure;
  }
}

function printer(app: App, line: CommandLine, around: Surroundings): (event: EventItem) => Promise<void> {
  const look = lookOf(line, around);
  if (line.has('json')) return (event) => writeAll(around.stdout, `${toJson(event)}\n`);
  const known = new Set<string>();
  let nameOf = (ap_id: string) => ap_id;
  return async (event) => {
    // Once for each, because access points come while events are followed.
    if (event.ap_id !== null && !known.has(event.ap_id)) {
      if (nameOf(event.ap_id) === event.ap_id) nameOf = await displayNames(app);
      known.add(event.ap_id);
    }
    await writeAll(around.stdout, toLine(event, nameOf, look));
  };
}

function toLine({ id, ts, kind, severity, text, ap_id }: EventItem, nameOf: NameOf, { isIso }: Look): string {
  const mark = severity === 'info' ? '' : `[${severity}] `;
  const named = ap_id === null ? text : text.replace(wholeWord(ap_id), () => withId(nameOf(ap_id), ap_id));
  return `${toMoment(ts, isIso)}  ${String(id).padStart(6)}  ${kind.padEnd(20)}  ${mark}${printable(named)}\n`;
}

const withId = (name: string, ap_id: string) => (name === ap_id ? ap_id : `${name} (${ap_id})`);
/** Not inside of a longer name. */
const wholeWord = (ap_id: string) => new RegExp(`(?<![\\w-])${ap_id.replaceAll(/\W/g, '\\$&')}(?![\\w-])`);
