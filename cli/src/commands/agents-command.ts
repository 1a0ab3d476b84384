// `weft agents`: lists the access points and their state.
import { toApId } from '@weft/contract/ap-id';
import { matchesGlob } from '@weft/contract/glob';
import type { AgentDetails, AgentListItem, AgentPresence } from '@weft/sdk';
import { type Command, unknownValue } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { warnOfUnreportedMetrics } from '../known-metrics.ts';
import { toMoment } from '../moments.ts';
import { type Look, naturally, printList } from '../table.ts';

const states = ['online', 'late', 'offline', 'never'];

export const agentsCommand: Command = {
  summary: 'list the access points and their state',
  usage: ['agents [PATTERN] [--select SELECTOR] [--state STATE] [--wide] [--iso] [--json]'],
  ask: 'Give at most one pattern. Quote it, so that the shell does not expand it.',
  about: identityHelp,
  options: {
    select: {
      value: 'SELECTOR',
      about: "only these, such as 'site:uk/bristol/** -tag:lab load>0.8'",
    },
    state: {
      value: 'STATE',
      about: 'only access points in this state: online, late, offline or never (has not reported yet)',
    },
    ...listOptions,
  },
  examples: [
    'agents',
    "agents 'ap-hall-*' --state offline",
    "agents --select 'site:uk/bristol/** type:WiFi'",
    'agents --json | jq -r .[].ap_id',
  ],
  async run(line, around) {
    const [pattern = '*'] = line.words;
    const state = line.get('state');
    if (state !== undefined && !states.includes(state)) throw unknownValue('--state', state, states);
    const app = connect(line, around);
    const selector = line.get('select') ?? '';
    const [agents, presences, selected] = await Promise.all([
      app.agents(),
      app.presence(),
      app.select(selector).toArray(),
    ]);
    const labelsOf = new Map(selected.map((labelled) => [labelled.ap_id, labelled]));
    const presenceOf = new Map(presences.map((presence) => [presence.ap_id, presence]));
    const rows = agents
      .filter(({ ap_id }) => matches(toApId(pattern), labelsOf.get(ap_id)))
      .sort((a, b) => naturally(a.ap_id, b.ap_id))
      .map((agent) => ({ agent, presence: presenceOf.get(agent.ap_id), labels: labelsOf.get(agent.ap_id)! }))
      .filter(({ labels }) => state === undefined || labels.state === state);
    await warnOfUnreportedMetrics(app, selector, around);
    const none = agents.length === 0 ? 'There are no access points yet. Try: weft emulate' : 'No access point matches.';
    const head = ['NAME', 'ACCESS POINT', 'TYPE', 'STATE', 'SITE', 'LAST SEEN', 'COMMANDS', 'WHY'];
    printList(rows, { none, head, toRow, wholeColumns: 2, toJson }, line, around);
  },
};

function matches(pattern: string, labels: AgentListItem | undefined): boolean {
  if (!labels) return false;
  return matchesGlob(pattern, labels.ap_id) || matchesGlob(pattern, labels.display_name ?? labels.ap_id);
}

interface ListedAgent {
  agent: AgentDetails;
  presence: AgentPresence | undefined;
  labels: AgentListItem;
}

function toJson({ agent, presence, labels: { display_name, site, tags } }: ListedAgent): object {
  return { ...agent, ...presence, display_name, site, tags };
}

function toRow({ agent, presence, labels }: ListedAgent, { isIso }: Look): string[] {
  const { access_point_type } = agent.configuration;
  return [
    labels.display_name ?? '–',
    agent.ap_id,
    typeof access_point_type === 'string' ? access_point_type : '–',
    labels.state,
    labels.site ?? '–',
    toMoment(presence?.last_seen, isIso),
    presence?.command_ready ? 'ready' : '–',
    presence?.reason ?? '',
  ];
}
