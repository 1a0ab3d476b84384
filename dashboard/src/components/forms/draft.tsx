// Fields whose value lives elsewhere: in the address, or with the data of a page. Live data draws a page again at any moment; what
// was typed stays in the field until it is committed or left, or until its value is set otherwise (Back, a button that clears).
import type { JSX } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../button.tsx';
import { SuggestionList } from './fields.tsx';

interface DraftOptions {
  /** Committed with every key; else with Enter or when the field is left. */
  isLive?: boolean | undefined;
  /** What is committed of a text. */
  read?: (text: string) => string;
}

type FieldEvent = { currentTarget: { value: string } };

/** The attributes of the field. */
export interface Draft {
  value: string;
  onInput: (event: FieldEvent) => void;
  onChange: (event: FieldEvent) => void;
  onBlur: () => void;
}

export function useDraft(value: string, onCommit: (value: string) => void, options: DraftOptions = {}): Draft {
  const { isLive = false, read = (text) => text } = options;
  /** `known`: the values with which the draft goes together. Any other was set by somebody else, and counts. */
  const [draft, setDraft] = useState<{ text: string; known: readonly string[] } | undefined>(undefined);
  const own = draft?.known.includes(value) ? draft : undefined;
  const isGone = useRef(false);
  useLayoutEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const commit = (text: string) => {
    const next = read(text);
    // The browser tells a field that it was left also when its page is gone, and the address is that of another.
    if (next !== value && !isGone.current) onCommit(next);
    return next;
  };
  return {
    value: own?.text ?? value,
    onInput: ({ currentTarget: { value: text } }) => {
      setDraft({ text, known: isLive ? [value, commit(text)] : [value] });
    },
    onChange: ({ currentTarget: { value: text } }) => {
      if (own) setDraft({ text, known: [commit(text)] });
    },
    onBlur: () => {
      if (own) commit(own.text);
      setDraft(undefined);
    },
  };
}

interface SearchInputProps {
  value: string;
  onCommit: (value: string) => void;
  isLive?: boolean;
  /** Offered while one types. */
  suggestions?: readonly string[];
  attributes: JSX.InputHTMLAttributes<HTMLInputElement>;
}

export function SearchInput({ value, onCommit, isLive, suggestions = [], attributes }: SearchInputProps) {
  const id = useId();
  const draft = useDraft(value, onCommit, isLive ? { isLive } : { read: (text) => text.trim() });
  return (
    <>
      <input
        type="search"
        spellcheck={false}
        autoCapitalize="none"
        list={suggestions.length > 0 ? id : undefined}
        {...attributes}
        {...draft}
        class={`input ${attributes.class ?? ''}`}
      />
      {suggestions.length > 0 && <SuggestionList {...{ id, suggestions }} />}
    </>
  );
}

interface ListSearchProps {
  label: string;
  placeholder?: string;
  value: string;
  onCommit: (value: string) => void;
  class?: string;
}

/** Searches a list with every key. */
export function ListSearch({ label, placeholder = label, value, onCommit, class: look = '' }: ListSearchProps) {
  const id = useId();
  return (
    <label for={id} class={`table-filter ${look}`}>
      <Icon name="search" size={16} />
      <SearchInput
        {...{ value, onCommit }}
        isLive
        attributes={{ id, placeholder, 'aria-label': label, autoComplete: 'off' }}
      />
    </label>
  );
}
