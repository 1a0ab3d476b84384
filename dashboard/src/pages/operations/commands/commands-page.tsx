// All commands, newest first: what was asked of whom, how far it came, and who was in whose way.
import './commands-page.css';
import { useMemo } from 'preact/hooks';
import type { Command, CommandState } from '../../../api/client.ts';
import { NarrowAgentName } from '../../../components/agent-name.tsx';
import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState, FailureNotice, SkeletonLines } from '../../../components/feedback.tsx';
import { SearchInput } from '../../../components/forms/draft.tsx';
import { Choice } from '../../../components/forms/fields.tsx';
import { Page } from '../../../components/page.tsx';
import { OlderButton, useAgentField } from '../../../components/tables/filter-bar.tsx';
import { type Column, column, Table, wideColumn } from '../../../components/tables/table.tsx';
import { agentName } from '../../../data/agents.ts';
import { now } from '../../../data/freshness.ts';
import { useFeed } from '../../../data/use-feed.ts';
import { queries } from '../../../data/use-operation.ts';
import { formatAge, formatMoment } from '../../../format.ts';
import { type PageProps, useQueryState } from '../../../router/location.ts';
import { session } from '../../../session/session.ts';
import { commandsText } from '../../../text/pages.ts';
import { isEnded, StatusDots, VerdictChip } from './command-marks.tsx';
import { argumentsInWords, rivalSentence } from './command-words.ts';
import { RejectedList } from './rejected-list.tsx';

const pageSize = 100;
const filters = ['state', 'agent', 'whose'];

const columns: Column<Command>[] = [
  column('command', 'Command', 'minmax(96px, 1.3fr)', {
    sort: ({ name }) => name,
    cell: ({ name, args }) => (
      <>
        {name} <span class="command-arguments soft">{argumentsInWords(args)}</span>
      </>
    ),
  }),
  column('agent', 'Access point', 'minmax(104px, 1.1fr)', {
    sort: ({ ap_id }) => ap_id,
    cell: ({ ap_id }) => <NarrowAgentName ap_id={ap_id} />,
  }),
  { name: 'history', title: 'Status history', width: '100px', cell: (command) => <StatusDots command={command} /> },
  wideColumn('state', 'State', '84px', {
    sort: ({ state }) => state,
    cell: ({ state }) => commandsText.states[state],
  }),
  wideColumn('by', 'Sent by', 'minmax(100px, 0.9fr)', { word: ({ caller_name }) => caller_name }),
  wideColumn('decision', 'Decision', 'minmax(160px, 2fr)', {
    sort: ({ verdict }) => verdict,
    cell: (command) => <DecisionCell command={command} />,
  }),
  column('age', 'Created', '92px', {
    align: 'end',
    // Upwards is the newest first, as ages are read.
    sort: ({ created_at }) => -Date.parse(created_at),
    cell: ({ created_at }) => <Age at={Date.parse(created_at)} />,
  }),
];

function DecisionCell({ command }: { command: Command }) {
  const sentence = rivalSentence(command);
  return (
    <span class="decision-cell" title={sentence}>
      <VerdictChip verdict={command.verdict} />
      {sentence && <span class="soft">{sentence}</span>}
    </span>
  );
}

function Age({ at }: { at: number }) {
  const seconds = Math.max(0, (now.value - at) / 1000);
  return <span title={formatMoment(at)}>{seconds < 2 ? 'just now' : `${formatAge(seconds)} ago`}</span>;
}

const textOf = (command: Command) =>
  `${command.name} ${argumentsInWords(command.args)} ${command.ap_id} ${agentName(command.ap_id)} ${command.state} ${command.caller_name} ${rivalSentence(command) ?? ''}`;

export function CommandsPage({ title }: PageProps) {
  const { isAdmin = false, username } = session.value ?? {};
  const [state, setState] = useQueryState('state');
  const [agent, setAgent] = useQueryState('agent');
  const [whose, setWhose] = useQueryState('whose');
  const query = {
    limit: pageSize,
    ...(Object.hasOwn(commandsText.states, state) && { state: state as CommandState }),
    ...(agent !== '' && { agent }),
  };
  const agentField = useAgentField(agent, setAgent);
  const isOfRejected = state === 'refused';
  const feed = useFeed('list_commands', {
    input: { query },
    isWanted: !isOfRejected,
    pollMs: (commands) => (commands.every(isEnded) ? 3000 : 1000),
    cursor: 'before',
    toPage: (commands) => ({
      rows: commands,
      next: commands.length < pageSize ? undefined : commands.at(-1)!.command_id,
    }),
    idOf: ({ command_id }) => command_id,
  });
  const { rows, failure } = feed;
  const shown = useMemo(
    () => (whose === 'own' ? rows?.filter((row) => row.caller_kind === 'user' && row.caller_name === username) : rows),
    [rows, whose, username],
  );
  const isFiltered = state !== '' || agent !== '' || whose !== '';
  const isEmpty = !isOfRejected && shown?.length === 0;
  const send = (
    <ButtonLink
      kind="primary"
      icon="commands"
      href={agent === '' ? '/commands/new' : `/commands/new?agent=${encodeURIComponent(agent)}`}
    >
      Send a command
    </ButtonLink>
  );
  const tools = (
    <>
      <SearchInput
        {...agentField}
        attributes={{
          class: 'commands-agent',
          'aria-label': 'Access point',
          placeholder: 'Access point',
        }}
      />
      <Choice
        label="State"
        value={state}
        onChange={setState}
        options={[
          ['', 'All states'],
          ...Object.entries(commandsText.states).filter(([name]) => name !== 'rejected'),
          ['refused', commandsText.rejected],
        ]}
      />
      {isAdmin && !isOfRejected && (
        <Choice label="Sent by" value={whose} onChange={setWhose} options={{ '': 'All users', own: 'Only mine' }} />
      )}
    </>
  );
  return (
    <Page title={title} actions={isEmpty && !isFiltered ? undefined : send} isFilling>
      {failure && !isOfRejected && <FailureNotice failure={failure} onRetry={() => queries.refresh('list_commands')} />}
      {isOfRejected && <RejectedList agent={agent} tools={tools} />}
      {!isOfRejected && !rows && !failure && !isFiltered && <SkeletonLines count={10} />}
      {isEmpty && !isFiltered && (
        <EmptyState
          title="No commands yet"
          actions={send}
          words="A command changes something on an access point: it goes to sleep, or uses another power or channel. Commands that you send and their results appear here."
        />
      )}
      {!isOfRejected && (isFiltered || (shown && !isEmpty)) && (
        <Table
          label={title}
          rows={shown}
          columns={columns}
          hrefOf={({ command_id }) => `/commands/${encodeURIComponent(command_id)}`}
          textOf={textOf}
          initialSort="age"
          filteredBy={filters}
          noMatch="No commands match these filters."
          tools={tools}
        />
      )}
      {!isOfRejected && <OlderButton feed={feed} words={commandsText.older} />}
    </Page>
  );
}
