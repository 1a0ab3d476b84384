// Which access points are meant, in the language of selectors: what is typed is explained in words, and what is wrong is
// said at its column. Parsed here, so that every key gets an answer; how many match is asked of Weft.
import './selector-input.css';
import { describeSelector, parseSelector, SelectorError } from '@weft/contract/selector';
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { useOperation } from '../../data/use-operation.ts';
import { formatNumber } from '../../format.ts';
import { componentText } from '../../text/components.ts';
import { Button } from '../button.tsx';
import { useDraft } from './draft.tsx';
import { Field, type FieldProps } from './fields.tsx';
import { readChips, SelectorChips } from './selector-chips.tsx';

const means = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const restMs = 400;

export interface SelectorReading {
  words?: string;
  problem?: { column: number; message: string };
}

export function readSelector(text: string): SelectorReading {
  try {
    return { words: describeSelector(parseSelector(text)) };
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    return { problem: { column: error.column, message: error.message } };
  }
}

/** The text once typing has come to rest; what cannot be read is held back. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(() => (readSelector(text).problem ? '' : text));
  useEffect(() => {
    const timer = setTimeout(() => readSelector(text).problem === undefined && setSettled(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

interface SelectorInputProps {
  value: string;
  onInput: (value: string) => void;
  /** What is selected where other filters go along with the text; default: the text alone. */
  meaning?: string | undefined;
  /** Beside the explanation, such as how many match. */
  beside?: string | undefined;
  attributes?: JSX.InputHTMLAttributes<HTMLInputElement>;
  /** For those who filter all day: the text comes first, and the chips are a click away. */
  isTextFirst?: boolean;
}

export function SelectorInput(props: SelectorInputProps) {
  const { value: committed, onInput, meaning, beside, attributes, isTextFirst = false } = props;
  const id = useId();
  const [isText, setText] = useState(isTextFirst);
  const draft = useDraft(committed, onInput, { isLive: true });
  const { value } = draft;
  const { words, problem } = readSelector(value);
  const chips = readChips(value);
  const hasChips = chips !== undefined && !isText;
  // Once it is a text it stays one while somebody types.
  useEffect(() => {
    if (chips === undefined) setText(true);
  }, [chips === undefined]);
  return (
    <div class="selector-input">
      <div class="selector-line">
        {hasChips ? (
          <SelectorChips
            chips={chips}
            onChange={onInput}
            attributes={{ id: attributes?.id, 'aria-label': attributes?.['aria-label'] }}
          />
        ) : (
          <input
            placeholder="site:uk/bristol/** type:WiFi -tag:lab"
            spellcheck={false}
            autoCapitalize="none"
            autoComplete="off"
            {...attributes}
            class={`input mono ${problem ? 'is-wrong' : ''}`}
            {...draft}
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-words`}
          />
        )}
        {chips && (
          <Button kind="quiet" size="small" onClick={() => setText(!isText)} words={isText ? 'As chips' : 'As text'} />
        )}
      </div>
      <p id={`${id}-words`} class={`below ${problem ? 'is-problem' : ''}`} aria-live="polite">
        {problem ? (
          <>
            <span class="mono" aria-hidden="true">
              {value.slice(Math.max(0, problem.column - 13), problem.column - 1)}
              <mark>{value.slice(problem.column - 1, problem.column + 11) || '▁'}</mark>
            </span>{' '}
            {problem.message}
          </>
        ) : (
          <>
            {means(meaning ?? words ?? '')}
            {beside && <strong> {beside}</strong>}
          </>
        )}
      </p>
    </div>
  );
}

type SelectorFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'>;

export function SelectorField<Values extends Record<string, string>>(props: SelectorFieldProps<Values>) {
  const { form, name } = props;
  const value = form.values.value[name] ?? '';
  return (
    <Field {...props}>
      {(attributes) => (
        <SelectorInput
          value={value}
          onInput={(next) => form.set(name, next)}
          beside={useMatches(value)}
          attributes={attributes}
        />
      )}
    </Field>
  );
}

/** How many access points match, in words; undefined while that is not known. */
export function useMatches(selector: string): string | undefined {
  const settled = useSettled(selector);
  const { data } = useOperation('explain_selector', { json: { selector: settled } });
  return data && settled === selector ? componentText.selector.match(formatNumber(data.matches)) : undefined;
}
