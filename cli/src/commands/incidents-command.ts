// `weft incidents`: what broke, who was affected, and what is known of the cause.
import type { Incident, IncidentDetails } from '@weft/sdk';
import { type Command, type CommandLine, checked, countOf, printResult } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { parseDuration, toMoment } from '../moments.ts';
import { firstOf, type Surroundings, UsageError } from '../surroundings.ts';
import { type Look, printList } from '../table.ts';

const states = ['open', 'acknowledged', 'ended'] as const;

export const incidentsCommand: Command = {
  summary: 'list incidents, show one with its cause, acknowledge and silence it',
  usage: [
    'incidents [--select SELECTOR] [--state STATE]... [--window DURATION] [--limit N] [--wide] [--iso]',
    'incidents show INCIDENT',
    'incidents ack INCIDENT',
    'incidents silence INCIDENT --for DURATION',
  ],
  ask: 'Give one incident. weft incidents lists them.',
  about: `An incident is alarms that belong together: one cause, the access points and the devices that lost service. Lists the newest first. An INCIDENT is its id, or that of any of its alarms.
${identityHelp}`,
  options: {
    select: { value: 'SELECTOR', about: 'only those about one of these access points' },
    state: { value: 'STATE', about: 'open, acknowledged or ended; repeatable', isMany: true },
    window: { value: 'DURATION', about: 'only those that were open within this time, such as 24h' },
    limit: { value: 'N', about: 'at most this many (default: 50)' },
    for: { value: 'DURATION', about: 'how long nobody is told, such as 8h' },
    ...listOptions,
  },
  examples: ['incidents --window 1h', 'incidents show 0199a8c4-5b1e-7000-8f3a-0d6b2c9e4f11'],
  async run(line, around) {
    const [action, id] = line.words;
    if (action === undefined || id === undefined) return list(line, around);
    return action === 'show' ? show(id, line, around) : act(action, id, line, around);
  },
};

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const wanted = {
    states: checked('--state', line.all('state'), states),
    selector: line.get('select'),
    window: line.get('window'),
  };
  const limit = countOf(line, 'limit') ?? 50;
  const found = await firstOf((signal) => connect(line, around).incidents({ ...wanted, signal }), limit, around);
  const head = ['INCIDENT', 'STATE', 'SINCE', 'ACCESS POINTS', 'DEVICES', 'MINUTES LOST', 'WHAT'];
  printList(found, { none: 'No incidents.', head, toRow }, line, around);
}

function toRow(incident: Incident, { isIso }: Look): string[] {
  const { id, state, started_at, access_points, devices_affected, minutes_lost, title } = incident;
  return [id, state, toMoment(started_at, isIso), `${access_points}`, `${devices_affected}`, `${minutes_lost}`, title];
}

async function show(id: string, line: CommandLine, around: Surroundings): Promise<void> {
  const path = `/api/v1/incidents/${encodeURIComponent(id)}` as const;
  const found: IncidentDetails = await connect(line, around).request('GET', path);
  const { title, state, started_at, access_points, devices_affected, minutes_lost, diagnosis, timeline } = found;
  const who = `${access_points} access points, ${devices_affected} devices affected, ${minutes_lost} minutes lost`;
  const lines = [`${title} (${state}, since ${toMoment(started_at)})`, who];
  if (diagnosis) {
    lines.push(`Cause: ${diagnosis.text}`);
    for (const { text, value, unit } of diagnosis.evidence)
      lines.push(`  ${value === null ? text : `${text}: ${value} ${unit}`.trimEnd()}`);
    for (const { text } of diagnosis.proposals) lines.push(`Proposed: ${text}`);
  }
  for (const { ts, text } of timeline) lines.push(`${toMoment(ts)}  ${text}`);
  printResult(found, lines.join('\n'), line, around);
}

async function act(action: string, id: string, line: CommandLine, around: Surroundings): Promise<void> {
  const path = `/api/v1/incidents/${encodeURIComponent(id)}` as const;
  const length = line.get('for');
  if (action === 'silence' && length === undefined) throw new UsageError('Give --for, such as --for 8h.');
  const app = connect(line, around);
  if (length === undefined) {
    const after: Incident = await app.request('POST', `${path}/acknowledge`);
    return printResult(after, `${after.title}: ${after.state}.`, line, around);
  }
  const until = new Date(Date.now() + parseDuration(length, '--for') * 1000).toISOString();
  const after: Incident = await app.request('POST', `${path}/silence`, { json: { until } });
  printResult(after, `${after.title}: nobody is told until ${toMoment(until)}.`, line, around);
}
