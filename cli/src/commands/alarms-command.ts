// `weft alarms`: what is wrong, and saying that somebody is on it.
import type { Alarm } from '@weft/sdk';
import { type Command, type CommandLine, checked, countOf, printResult } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { parseDuration, toMoment } from '../moments.ts';
import { firstOf, interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { type Look, printList } from '../table.ts';

const states = ['firing', 'acknowledged', 'cleared'] as const;
const severities = ['critical', 'major', 'minor', 'warning'] as const;

export const alarmsCommand: Command = {
  summary: 'list alarms, acknowledge, shelve and clear them',
  usage: [
    'alarms [--select SELECTOR] [--state STATE]... [--severity SEVERITY]... [--limit N] [--wide] [--iso]',
    'alarms ack ALARM... [--note TEXT]',
    'alarms shelve ALARM... --for DURATION [--note TEXT]',
    'alarms clear ALARM... [--note TEXT]',
  ],
  ask: 'Give at least one alarm. weft alarms lists them.',
  about: `Lists what is firing or acknowledged, the worst first. An ALARM is its id, or the first characters of it. Exits with 0 also when something is firing.
${identityHelp}`,
  options: {
    select: { value: 'SELECTOR', about: "only of these access points, such as 'site:uk/bristol/** type:WiFi'" },
    state: { value: 'STATE', about: 'firing, acknowledged or cleared; repeatable', isMany: true },
    severity: { value: 'SEVERITY', about: 'critical, major, minor or warning; repeatable', isMany: true },
    limit: { value: 'N', about: 'at most this many (default: 200)' },
    note: { value: 'TEXT', about: 'why, for those who look later' },
    for: { value: 'DURATION', about: 'how long it is shelved, such as 8h' },
    ...listOptions,
  },
  examples: [
    'alarms',
    "alarms --select 'site:uk/bristol/**' --severity critical",
    'alarms ack 0199a8 --note "on my way"',
  ],
  async run(line, around) {
    const [action, ...ids] = line.words;
    return action === undefined ? list(line, around) : act(action, ids, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const limit = countOf(line, 'limit') ?? 200;
  const wanted = {
    states: checked('--state', line.all('state'), states),
    severities: checked('--severity', line.all('severity'), severities),
    selector: line.get('select'),
  };
  const alarms = await firstOf((signal) => connect(line, around).alarms({ ...wanted, signal }), limit, around);
  const head = ['ALARM', 'SEVERITY', 'STATE', 'SUBJECT', 'SITE', 'SINCE', 'MESSAGE'];
  printList(alarms, { none: 'No alarms.', head, toRow }, line, around);
}

function toRow(alarm: Alarm, { isIso }: Look): string[] {
  const { id, severity, state, subject, site, since, message, acknowledged_by } = alarm;
  const told = acknowledged_by === null ? message : `${message} (${acknowledged_by})`;
  return [id, severity, state, subject, site ?? '–', toMoment(since, isIso), told];
}

async function act(action: string, ids: string[], line: CommandLine, around: Surroundings): Promise<void> {
  const seconds = line.get('for');
  if (action === 'shelve' && seconds === undefined) throw new UsageError('Give --for, such as --for 8h.');
  const note = line.get('note');
  const json = {
    ...(note !== undefined && { note }),
    ...(seconds !== undefined && { seconds: Math.round(parseDuration(seconds, '--for')) }),
  };
  const app = connect(line, around);
  const known = (await app.alarms({ signal: interruptionOf(around) }).toArray()).map(({ id }) => id);
  const path = action === 'ack' ? 'acknowledge' : action;
  for (const id of ids.map((each) => fullId(each, known))) {
    const alarm: Alarm = await app.request('POST', `/api/v1/alarms/${encodeURIComponent(id)}/${path}`, { json });
    printResult(alarm, `${alarm.rule} on ${alarm.subject} is ${stateOf(alarm)}.`, line, around);
  }
}

function stateOf({ state, shelved_until }: Alarm): string {
  return shelved_until === null || state === 'cleared' ? state : `shelved until ${toMoment(shelved_until)}`;
}

/** An id that is not among them is left to Weft, which says what is wrong with it. */
function fullId(given: string, known: readonly string[]): string {
  const found = known.filter((id) => id.startsWith(given));
  if (found.length > 1 && !found.includes(given)) {
    throw new UsageError(`${given} begins ${found.length} ids; give more of it.`);
  }
  return found.length === 1 ? found[0]! : given;
}
