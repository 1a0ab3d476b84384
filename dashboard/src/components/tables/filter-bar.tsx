// Around a list that the server filters: its filters, which live in the address and of which a text counts once it is complete, and
// the button for what is older.
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { agentName, findAgent } from '../../data/agents.ts';
import { useAgents } from '../../data/lists/list-pages.ts';
import type { Feed } from '../../data/use-feed.ts';
import { fromLocalMoment, toLocalMoment } from '../../format.ts';
import { place, setQuery } from '../../router/location.ts';
import { Button } from '../button.tsx';
import { SearchInput, useDraft } from '../forms/draft.tsx';
import { OptionList, type Options } from '../forms/fields.tsx';
import { SelectorInput } from '../forms/selector-input.tsx';
import './filter-bar.css';

export interface Filters<Name extends string> {
  values: Record<Name, string>;
  /** Those that are set, as a query has them. */
  query: Partial<Record<Name, string>>;
  isSet: boolean;
  count: number;
  /** What the field of a filter needs. */
  of: (name: Name) => { value: string; onChange: (value: string) => void };
  clear: () => void;
}

/** The parameters of the address by which a list is filtered. */
export function useFilters<Name extends string>(...names: readonly Name[]): Filters<Name> {
  const address = new URLSearchParams(place.value.search);
  const values = Object.fromEntries(names.map((name) => [name, address.get(name) ?? ''])) as Record<Name, string>;
  const set = Object.entries(values).filter(([, value]) => value !== '');
  return {
    values,
    query: Object.fromEntries(set) as Partial<Record<Name, string>>,
    isSet: set.length > 0,
    count: set.length,
    of: (name) => ({ value: values[name], onChange: (value) => setQuery({ [name]: value }) }),
    clear: () => setQuery(Object.fromEntries(names.map((name) => [name, undefined]))),
  };
}

/** On a phone behind one button, which says how many are set: they would fill half of its screen. */
export function PhoneFold({ count, children }: { count: number; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class={`phone-fold ${isOpen ? 'is-open' : ''}`}>
      <span class="fold-button">
        <Button
          icon={isOpen ? 'chevron-down' : 'chevron-right'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
      </span>
      {children}
    </div>
  );
}

interface FilterBarProps {
  label: string;
  filters: Pick<Filters<string>, 'isSet' | 'count' | 'clear'>;
  /** On the button that clears them. */
  clear: string;
  children: ComponentChildren;
}

export function FilterBar({ label, filters, clear, children }: FilterBarProps) {
  return (
    <search class="filter-bar" aria-label={label}>
      <PhoneFold count={filters.count}>{children}</PhoneFold>
      {filters.isSet && <Button kind="quiet" onClick={filters.clear} words={clear} />}
    </search>
  );
}

/** Below a feed, until its end. */
export function OlderButton({ feed, size = 'normal', words }: OlderButtonProps) {
  if (!feed.loadOlder) return null;
  return (
    <div>
      <Button {...{ size, words }} isBusy={feed.isLoadingOlder} onClick={feed.loadOlder} />
    </div>
  );
}

interface OlderButtonProps {
  feed: Feed<unknown>;
  size?: 'normal' | 'small';
  words: string;
}

interface FilterProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
}

type FilterTextProps = FilterProps & { suggestions?: readonly string[] };

/** Takes effect with Enter or when the field is left. */
export function FilterText({ label, value, onChange, placeholder, suggestions = [] }: FilterTextProps) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <SearchInput {...{ value, suggestions }} onCommit={onChange} attributes={{ id, placeholder }} />
    </div>
  );
}

// More would make the browser's list slow.
const maxOffered = 500;

/** For a field that takes the name of an access point: the address has its id, people read and write what it is called. */
export function useAgentField(ap_id: string, onChange: (ap_id: string) => void) {
  const { data } = useAgents({ limit: maxOffered }, { pages: 1, pollMs: () => 120_000 });
  const items = data?.items ?? [];
  return {
    value: ap_id === '' ? '' : agentName(ap_id),
    suggestions: items.map((item) => agentName(item.ap_id)),
    onCommit: (text: string) => onChange(findAgent(items, text)?.ap_id ?? text.trim()),
  };
}

export function FilterAgent({ label, value, onChange, placeholder }: FilterProps) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <SearchInput {...useAgentField(value, onChange)} attributes={{ id, placeholder }} />
    </div>
  );
}

/** By site and tags as chips, or by any selector as text. */
export function FilterSelector({ label, value, onChange }: FilterProps) {
  return (
    <div class="filter is-wide">
      <span class="filter-label">{label}</span>
      <SelectorInput value={value} onInput={onChange} attributes={{ 'aria-label': label }} />
    </div>
  );
}

export function FilterChoice({ label, value, onChange, options }: FilterProps & { options: Options }) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <OptionList options={options} />
      </select>
    </div>
  );
}

/** The value is a moment of the interface; what is shown is local time. */
export function FilterMoment({ label, value, onChange }: FilterProps) {
  const id = useId();
  const draft = useDraft(toLocalMoment(Date.parse(value)).slice(0, 16), (text) => onChange(fromLocalMoment(text)));
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input id={id} class="input" type="datetime-local" {...draft} />
    </div>
  );
}
