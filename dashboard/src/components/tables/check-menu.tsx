// A list of boxes that opens below its button: which metrics, which columns.
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { componentText } from '../../text/components.ts';
import { Icon } from '../button.tsx';
import { filterRows } from './table-view.ts';
import './check-menu.css';
import { SearchInput } from '../forms/draft.tsx';

interface CheckItem {
  name: string;
  label: string;
  /** Behind the label, such as a unit. */
  hint?: string;
}

interface CheckMenuProps {
  /** On the button. */
  title: string;
  label: string;
  filterLabel: string;
  items: readonly CheckItem[];
  chosen: ReadonlySet<string>;
  /** Whether one that is not chosen can be. */
  isOpenTo?: (name: string) => boolean;
  onTurn: (name: string) => void;
  /** Above the boxes. */
  children?: ComponentChildren;
}

/** A list that is read at a glance needs no filter. */
const filteredFrom = 16;

export function CheckMenu(props: CheckMenuProps) {
  const { title, label, filterLabel, items, chosen, isOpenTo = () => true, onTurn, children } = props;
  const id = useId();
  const frame = useRef<HTMLDetailsElement>(null);
  const [filter, setFilter] = useState('');
  const listed = filterRows(items, (item) => `${item.name} ${item.label}`, filter);
  const close = () => {
    if (frame.current) frame.current.open = false;
  };
  return (
    <details
      class="check-menu"
      ref={frame}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        frame.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={(event) => {
        const next = event.relatedTarget as Node | null;
        if (next && !frame.current?.contains(next)) close();
      }}
    >
      <summary class="button plain">
        {title}
        <Icon name="chevron-down" size={14} />
      </summary>
      <fieldset>
        <legend class="visually-hidden">{label}</legend>
        {children}
        {items.length >= filteredFrom && (
          <SearchInput
            value={filter}
            onCommit={setFilter}
            isLive
            attributes={{ placeholder: componentText.table.filter, 'aria-label': filterLabel }}
          />
        )}
        {listed.map(({ name, label: words, hint }) => (
          <label key={name} for={`${id}-${name}`}>
            <input
              id={`${id}-${name}`}
              type="checkbox"
              checked={chosen.has(name)}
              disabled={!chosen.has(name) && !isOpenTo(name)}
              onChange={() => onTurn(name)}
            />
            <span class="check-label">{words}</span>
            <span class="faint">{hint}</span>
          </label>
        ))}
      </fieldset>
    </details>
  );
}
