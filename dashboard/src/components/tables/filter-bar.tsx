// Filters of a list that the server applies: they live in the address, and a text counts once it is complete.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { fromLocalMoment, toLocalMoment } from '../../format/local-moment.ts';
import { SearchInput, useDraft } from '../forms/draft.tsx';
import './filter-bar.css';

export function FilterBar({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <search class="filter-bar" aria-label={label}>
      {children}
    </search>
  );
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

export function FilterChoice({
  label,
  value,
  onChange,
  options,
}: FilterProps & { options: readonly [string, string][] }) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
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
