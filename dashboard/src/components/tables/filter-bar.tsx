// Filters of a list that the server applies: they live in the address, and a text counts once it is complete.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { fromLocalMoment, toLocalMoment } from '../../format/local-moment.ts';
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

/** Takes effect with Enter or when the field is left. */
export function FilterText({
  label,
  value,
  onChange,
  placeholder,
  suggestions = [],
}: FilterProps & { suggestions?: readonly string[] }) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="search"
        spellcheck={false}
        autoCapitalize="none"
        placeholder={placeholder}
        value={value}
        list={suggestions.length > 0 ? `${id}-list` : undefined}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
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
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        type="datetime-local"
        value={toLocalMoment(Date.parse(value)).slice(0, 16)}
        onChange={(event) => onChange(fromLocalMoment(event.currentTarget.value))}
      />
    </div>
  );
}
