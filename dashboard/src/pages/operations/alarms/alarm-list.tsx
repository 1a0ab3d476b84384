// The list of alarms: filtered in the address, chosen by mouse, finger or keys, acknowledged and shelved one by one or
// together.
import { useRef, useState } from 'preact/hooks';
import type { Alarm } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { ConfirmDialog } from '../../../components/dialog.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { useSettled } from '../../../components/forms/selector-input.tsx';
import { severities } from '../../../components/glyph.tsx';
import {
  FilterBar,
  FilterChoice,
  FilterSelector,
  OlderButton,
  useFilters,
} from '../../../components/tables/filter-bar.tsx';
import { toggled } from '../../../components/tables/table-view.ts';
import { now } from '../../../data/freshness.ts';
import { usePages } from '../../../data/use-feed.ts';
import { formatCount, formatNumber } from '../../../format.ts';
import { navigate } from '../../../router/location.ts';
import { componentText } from '../../../text/components.ts';
import { alarmsText } from '../../../text/pages.ts';
import { type AlarmAction, AlarmDialog, AlarmWords } from './alarm-dialog.tsx';

const pageSize = 100;
/** Who chooses more than a screen shows is told how many, and asked. */
const chosenWithoutAsking = 20;
const severityOptions: [string, string][] = [
  ['', 'All severities'],
  ...severities.map((name): [string, string] => [name, componentText.severities[name]]),
];
const stateOptions: [string, string][] = [
  ['', 'All active'],
  ['firing', alarmsText.states.firing],
  ['acknowledged', alarmsText.states.acknowledged],
];

export const ActiveAlarms = () => <AlarmList isPast={false} />;
export const PastAlarms = () => <AlarmList isPast />;

function AlarmList({ isPast }: { isPast: boolean }) {
  const filters = useFilters('severity', 'state', 'selector');
  const { severity, state, selector } = filters.values;
  const settled = useSettled(selector);
  const query = {
    ...(severity && { severity }),
    ...(settled && { selector: settled }),
    state: isPast ? 'cleared' : state === '' ? 'firing,acknowledged' : state,
    // What somebody has to do first is at the top.
    ...(!isPast && { sort: 'severity' as const }),
    limit: pageSize,
  };
  const feed = usePages('list_alarms', { query }, { pollMs: 3000 });
  const { rows, failure, newest } = feed;
  // Those that have cleared since do not stay in the list of active ones.
  const fresh = new Set(newest?.map(({ id }) => id));
  const shown = rows?.filter(
    ({ id, cleared_at }, index) => isPast || (cleared_at === null && (fresh.has(id) || index >= pageSize)),
  );
  const words = [
    severity !== '' && severityOptions.find(([name]) => name === severity)?.[1],
    !isPast && state !== '' && stateOptions.find(([name]) => name === state)?.[1],
    selector,
  ].filter(Boolean);
  return (
    <>
      <FilterBar label="Filter alarms" filters={filters} clear="Clear filter">
        <FilterChoice label="Severity" {...filters.of('severity')} options={severityOptions} />
        {!isPast && <FilterChoice label="State" {...filters.of('state')} options={stateOptions} />}
        <FilterSelector label="Access points" {...filters.of('selector')} />
      </FilterBar>
      {!isPast && shown && shown.length > 0 && (
        <p class="soft small">{countWords(shown, now.value, feed.loadOlder !== undefined)}</p>
      )}
      <Loading data={shown} failure={failure} again="list_alarms" lines={8} />
      {shown?.length === 0 && (
        <EmptyState
          title={filters.isSet ? alarmsText.noMatch : isPast ? 'No alarm has cleared yet.' : 'No active alarms'}
          actions={!filters.isSet && <ButtonLink href="/alarms?view=rules">Show the rules</ButtonLink>}
        >
          {!filters.isSet &&
            !isPast &&
            'Alarms appear here as soon as a rule finds something. The rules are adjustable.'}
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <Rows alarms={shown} isPast={isPast} filter={words.join(', ')} hasMore={feed.loadOlder !== undefined} />
      )}
      <OlderButton feed={feed} words="Show more" />
    </>
  );
}

type Counted = Pick<Alarm, 'state' | 'inhibited_by' | 'silenced_by' | 'shelved_until'>;

/** Counts as the bell, the health of the network and the wall display do, and says of the others what they are. */
export function countWords(alarms: readonly Counted[], nowMs: number, hasMore = false): string {
  const aside = alarms.filter((a) => a.silenced_by !== null || Date.parse(a.shelved_until ?? '') > nowMs);
  const others = alarms.filter((alarm) => !aside.includes(alarm));
  const counted = others.filter(({ inhibited_by }) => inhibited_by === null);
  const waiting = counted.filter(({ state }) => state === 'firing').length;
  const words = `${hasMore ? 'Of those shown: ' : ''}${formatCount(counted.length, 'alarm')}, ${formatNumber(waiting)} not acknowledged`;
  if (counted.length === alarms.length) return `${words}.`;
  return `${words}. Not counted: ${formatNumber(others.length - counted.length)} following from others, ${formatNumber(aside.length)} silenced or shelved.`;
}

/** Consequences stand under their cause once that is opened; those whose cause is not in the list stand by themselves. */
export function foldAlarms<Item extends Pick<Alarm, 'id' | 'inhibited_by'>>(
  alarms: readonly Item[],
  opened: ReadonlySet<string>,
): { alarm: Item; consequences: number }[] {
  const ids = new Set(alarms.map(({ id }) => id));
  const causeOf = ({ id, inhibited_by }: Item) =>
    inhibited_by !== null && inhibited_by !== id && ids.has(inhibited_by) ? inhibited_by : undefined;
  const byCause = Map.groupBy(alarms, causeOf);
  const rowsOf = (alarm: Item, seen: readonly string[]): { alarm: Item; consequences: number }[] => {
    const own = (byCause.get(alarm.id) ?? []).filter(({ id }) => !seen.includes(id));
    const below = opened.has(alarm.id) ? own.flatMap((each) => rowsOf(each, [...seen, alarm.id])) : [];
    return [{ alarm, consequences: own.length }, ...below];
  };
  return (byCause.get(undefined) ?? []).flatMap((alarm) => rowsOf(alarm, []));
}

interface RowsProps {
  alarms: readonly Alarm[];
  isPast: boolean;
  /** In words; empty: none. */
  filter: string;
  /** There are more than these. */
  hasMore: boolean;
}

function Rows({ alarms, isPast, filter, hasMore }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState(0);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ action: AlarmAction; alarms: readonly Alarm[] } | undefined>(undefined);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const rows = foldAlarms(alarms, opened);
  /** Those that the user may do something about. */
  const handled = isPast ? [] : alarms.filter(({ may_handle }) => may_handle);
  const own = handled.filter(({ id }) => chosen.has(id));
  const turn = (id: string) => setChosen(toggled(chosen, id));
  const ask = (action: AlarmAction, alarm?: Alarm) =>
    setAsked({ action, alarms: own.length > 0 && (!alarm || chosen.has(alarm.id)) ? own : alarm ? [alarm] : [] });
  const go = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActive(next);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  const open = ({ ap_id }: Alarm) => ap_id !== null && navigate(`/agents/${encodeURIComponent(ap_id)}`);
  const onClick = ({ target }: { target: EventTarget | null }) => {
    const row = (target as Element).closest('li');
    const alarm = row ? rows[[...(list.current?.children ?? [])].indexOf(row)]?.alarm : undefined;
    // Who selects words to copy them does not want to leave.
    const isTaken = (target as Element).closest('a, button, input') || getSelection()?.isCollapsed === false;
    if (alarm && !isTaken) open(alarm);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as Element).closest('li');
    const alarm = rows[active]?.alarm;
    if (event.target !== row || !alarm || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      Enter: () => open(alarm),
      ...(handled.includes(alarm) && {
        x: () => turn(alarm.id),
        a: () => ask('acknowledge', alarm),
        s: () => ask('shelve', alarm),
      }),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const isAll = own.length === handled.length;
  const [asking, setAsking] = useState<ReadonlySet<string> | undefined>(undefined);
  const what = alarmsText.alarms(formatNumber(handled.length));
  const chooseAll = (event: { currentTarget: HTMLInputElement }) => {
    const all = new Set(handled.map(({ id }) => id));
    if (isAll) setChosen(new Set());
    else if (all.size <= chosenWithoutAsking) setChosen(all);
    else {
      event.currentTarget.checked = false;
      setAsking(all);
    }
  };
  return (
    <>
      {handled.length > 0 && (
        <div class="alarm-tools">
          <label class="alarm-all">
            <input type="checkbox" checked={isAll} onChange={chooseAll} />
            {own.length > 0
              ? `${formatNumber(own.length)} chosen`
              : `Choose ${hasMore ? 'the' : 'all'} ${what}${hasMore ? ' shown' : ''}${filter === '' ? '' : ` (${filter})`}`}
          </label>
          {own.length > 0 && (
            <>
              <Button size="small" onClick={() => ask('acknowledge')} words={alarmsText.acknowledge} />
              <Button size="small" onClick={() => ask('shelve')} words={alarmsText.shelve} />
            </>
          )}
          <span class="faint small alarm-keys">Keys: ↑ ↓ move, X chooses, A acknowledges, S shelves, Enter opens.</span>
        </div>
      )}
      <ul class="card alarm-list" aria-label="Alarms" ref={list} {...{ onClick, onKeyDown }}>
        {rows.map(({ alarm, consequences }, index) => (
          <li
            key={alarm.id}
            class={`alarm ${alarm.state} ${handled.includes(alarm) ? '' : 'is-past'} ${alarm.inhibited_by ? 'is-consequence' : ''}`}
            // One row at a time can be reached; arrows move.
            tabIndex={index === Math.min(active, rows.length - 1) ? 0 : -1}
            onFocus={(event) => event.target === event.currentTarget && setActive(index)}
          >
            {handled.includes(alarm) && (
              <input
                type="checkbox"
                aria-label={`Choose: ${alarm.message}`}
                checked={chosen.has(alarm.id)}
                onChange={() => turn(alarm.id)}
              />
            )}
            <AlarmWords alarm={alarm}>
              {consequences > 0 && (
                <Button
                  size="small"
                  kind="quiet"
                  icon={opened.has(alarm.id) ? 'chevron-down' : 'chevron-right'}
                  aria-expanded={opened.has(alarm.id)}
                  onClick={() => setOpened(toggled(opened, alarm.id))}
                >
                  {`${formatCount(consequences, 'consequence')} of this`}
                </Button>
              )}
            </AlarmWords>
            {handled.includes(alarm) && (
              <div class="alarm-acts">
                {alarm.state === 'firing' && (
                  <Button size="small" onClick={() => setAsked({ action: 'acknowledge', alarms: [alarm] })}>
                    {alarmsText.acknowledge}
                  </Button>
                )}
                <Button size="small" kind="quiet" onClick={() => setAsked({ action: 'shelve', alarms: [alarm] })}>
                  {alarmsText.shelve}
                </Button>
                <Button size="small" kind="quiet" onClick={() => setAsked({ action: 'clear', alarms: [alarm] })}>
                  {alarmsText.clearAlarm}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      {asking && (
        <ConfirmDialog
          title={`Choose ${alarmsText.alarms(formatNumber(asking.size))}?`}
          action={`Choose ${formatNumber(asking.size)}`}
          kind="primary"
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            setChosen(asking);
            setAsking(undefined);
          }}
          words={filter === '' ? 'No filter is set: these are alarms of the whole network.' : `Filter: ${filter}`}
        />
      )}
      {asked && asked.alarms.length > 0 && (
        <AlarmDialog
          {...asked}
          onClose={() => {
            setAsked(undefined);
            requestAnimationFrame(() => go(active));
          }}
          onDone={() => setChosen(new Set())}
        />
      )}
    </>
  );
}
