// All access points: which are online, of what kind, where, and how each fares. The server selects, searches and sorts; the
// address says how, and views of it can be kept.
import { technologyChoices } from '../../../../data/agents.ts';
import '../agents-page.css';
import { useMemo, useState } from 'preact/hooks';
import type { AgentListItem } from '../../../../api/client.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { EmptyState, Loading } from '../../../../components/feedback.tsx';
import { Choice } from '../../../../components/forms/fields.tsx';
import { readSelector, SelectorInput, useSettled } from '../../../../components/forms/selector-input.tsx';
import { Page } from '../../../../components/page.tsx';
import { CheckMenu } from '../../../../components/tables/check-menu.tsx';
import { Table } from '../../../../components/tables/table.tsx';
import { useAgents } from '../../../../data/lists/list-pages.ts';
import { useMetricNames } from '../../../../data/metrics.ts';
import { useIsManager } from '../../../../data/use-operation.ts';
import { formatNumber } from '../../../../format.ts';
import { type PageProps, useQueryState } from '../../../../router/location.ts';
import { componentText } from '../../../../text/components.ts';
import { agentsText, overviewText } from '../../../../text/pages.ts';
import { maxAgents } from '../../compare/compare-series.ts';
import { LabelsDialog } from '../labels-dialog.tsx';
import { RegisterAgentDialog } from '../register-agent-dialog.tsx';
import { agentColumns, metricColumn } from './agent-columns.tsx';
import { meaningOf, selectorWith } from './agent-filter.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { SavedViews } from './saved-views.tsx';

export function ChosenAgents({ agents, onClear }: { agents: readonly AgentListItem[]; onClear: () => void }) {
  const [isLabelling, setLabelling] = useState(false);
  const mayAll = (what: AgentListItem['may'][number]) => agents.every(({ may }) => may.includes(what));
  const ids = agents.map(({ ap_id }) => ap_id);
  const names = new URLSearchParams(ids.map((ap_id) => ['agent', ap_id]));
  return (
    <section class="card chosen-agents" aria-label="Chosen access points">
      <strong aria-live="polite">{`${formatNumber(agents.length)} chosen`}</strong>
      {mayAll('manage') && <Button icon="tag" size="small" onClick={() => setLabelling(true)} words="Site and tags" />}
      {mayAll('command') && (
        <ButtonLink icon="commands" size="small" href={`/commands/new?${names}`} words={agentsText.one.sendCommand} />
      )}
      {agents.length <= maxAgents && (
        <ButtonLink icon="compare" size="small" href={`/compare?${new URLSearchParams({ agents: ids.join() })}`}>
          {agentsText.one.compare}
        </ButtonLink>
      )}
      {!mayAll('manage') && !mayAll('command') && <span class="soft small">You may only read some of them.</span>}
      <Button kind="quiet" size="small" onClick={onClear} words="Choose none" />
      {isLabelling && <LabelsDialog agents={agents} onClose={() => setLabelling(false)} />}
    </section>
  );
}

const pageSize = 200;
/** With their values rows are long. */
const pageSizeWithValues = 100;
const maxPages = 500;
const filters = ['selector', 'state', 'health', 'type'];
const { asleep: _asleep, ...agentStates } = componentText.states;
/** What goes wrong stands at the top. */
const worstFirst = '-state';

export function AgentsPage({ title }: PageProps) {
  const [selector, setSelector] = useQueryState('selector');
  const [state, setState] = useQueryState('state');
  const [health, setHealth] = useQueryState('health');
  const [type, setType] = useQueryState('type');
  const [search] = useQueryState('q');
  const [sort] = useQueryState('sort', worstFirst);
  const [columnNames, setColumns] = useQueryState('columns');
  // As many pages as reach to where the list was left.
  const [at] = useQueryState('at');
  const [pages, setPages] = useState(() => Math.min(maxPages, 1 + Math.floor((Number(at) || 0) / pageSizeWithValues)));
  const settled = useSettled(selector);
  const metrics = useMetricNames();
  const shownMetrics = columnNames === '' ? [] : columnNames.split(',');
  const hasValues = shownMetrics.length > 0;
  const query = {
    selector: selectorWith(settled, { state, health, type }),
    sort,
    limit: hasValues ? pageSizeWithValues : pageSize,
    count: true,
    ...(search.trim() !== '' && { search: search.trim() }),
    ...(hasValues && { fields: ['latest'] }),
  };
  const { data, failure, updatedAt } = useAgents(query, {
    pages,
    pollMs: ({ items, count = 0 }) => Math.max(3000, items.length * 5, count / 10),
  });
  const columns = useMemo(
    () => [...agentColumns, ...shownMetrics.map((name) => metricColumn(name, metrics))],
    [columnNames, metrics],
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isRegistering, setRegistering] = useState(false);
  const [bulk, setBulk] = useState<{ selector: string; search: string } | undefined>(undefined);
  const isManager = useIsManager();
  // How many there are, and acting on all of them, is about what the field says.
  const isSettled = settled === selector && updatedAt > 0;
  const mayActOn = (what: AgentListItem['may'][number]) => data?.items.some(({ may }) => may.includes(what)) ?? false;
  const isFiltered = [selector, settled, state, health, type, search].some((filter) => filter !== '');
  // What is on show may still be the answer to another filter.
  const isEmpty = data?.items.length === 0 && !isFiltered && updatedAt > 0;
  const register = <Button icon="plus" onClick={() => setRegistering(true)} words={overviewText.empty.register} />;
  const turnColumn = (name: string) =>
    setColumns(
      (shownMetrics.includes(name) ? shownMetrics.filter((other) => other !== name) : [...shownMetrics, name]).join(
        ',',
      ),
    );
  return (
    <Page title={title} isFilling actions={isManager && data && !isEmpty && register}>
      <Loading data={data} failure={failure} again="list_agents" lines={10} />
      {isEmpty && (
        <EmptyState
          title="No access points yet"
          actions={
            <>
              <ButtonLink kind="primary" href="/" words="Start a demo network" />
              {isManager && register}
            </>
          }
        >
          Start a demo network or register an access point. A registered access point logs in with its name and
          password, then sends its reports.
        </EmptyState>
      )}
      {!isEmpty && (data || (failure && isFiltered)) && (
        <>
          <SelectorInput
            isTextFirst
            value={selector}
            onInput={setSelector}
            meaning={meaningOf(query.selector, search)}
            beside={
              data?.count !== undefined && isSettled
                ? componentText.selector.match(formatNumber(data.count))
                : undefined
            }
            attributes={{ 'aria-label': 'Which access points', type: 'search' }}
          />
          <Table<AgentListItem>
            label={title}
            rows={data?.items ?? []}
            columns={columns}
            keyOf={({ ap_id }) => ap_id}
            hrefOf={({ ap_id }) => `/agents/${encodeURIComponent(ap_id)}`}
            initialSort={worstFirst}
            filteredBy={filters}
            given={{
              total: data?.count,
              isOld: readSelector(selector).problem !== undefined,
              onEnd: () =>
                data?.hasMore && setPages(Math.min(maxPages, Math.ceil(data.items.length / query.limit) + 1)),
            }}
            choice={
              mayActOn('manage') || mayActOn('command')
                ? { chosen, onChange: setChosen, labelOf: ({ ap_id }) => `Choose ${ap_id}` }
                : undefined
            }
            tools={
              <>
                <Choice
                  label={agentsText.stateFilter}
                  value={state}
                  onChange={setState}
                  options={[['', agentsText.allStates], ...Object.entries({ ...agentStates, asleep: _asleep })]}
                />
                <Choice
                  label="Health"
                  value={health}
                  onChange={setHealth}
                  options={{ '': 'Any health', ...agentsText.healthWords }}
                />
                <Choice
                  label={agentsText.typeFilter}
                  value={type}
                  onChange={setType}
                  options={{ '': agentsText.allTypes, ...technologyChoices }}
                />
                <CheckMenu
                  title={shownMetrics.length === 0 ? 'Add columns' : `Added columns: ${shownMetrics.length}`}
                  label="Metrics to show as columns"
                  filterLabel={agentsText.one.filterMetrics}
                  items={metrics.map(([name, label]) => ({ name, label }))}
                  chosen={new Set(shownMetrics)}
                  isOpenTo={() => shownMetrics.length < 8}
                  onTurn={turnColumn}
                />
                <SavedViews />
                {(mayActOn('manage') || mayActOn('command')) && data && isSettled && (
                  <Button onClick={() => setBulk({ selector: query.selector, search: search.trim() })}>
                    {`Act on all ${formatNumber(data.count ?? 0)}`}
                  </Button>
                )}
              </>
            }
          />
          {chosen.size > 0 && (
            <ChosenAgents
              agents={data?.items.filter(({ ap_id }) => chosen.has(ap_id)) ?? []}
              onClear={() => setChosen(new Set())}
            />
          )}
        </>
      )}
      {bulk && <BulkDialog {...bulk} isManager={isManager} onClose={() => setBulk(undefined)} />}
      {isRegistering && <RegisterAgentDialog onClose={() => setRegistering(false)} />}
    </Page>
  );
}
