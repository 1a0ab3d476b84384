// The fields of a form: each with its label, and below it what is wrong or else a hint. `Choice` is for what takes effect at once.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { partsOf } from '../../format.ts';
import { useFocus } from '../dialog.tsx';
import type { FormState } from './form.tsx';

export interface FieldProps<Values extends Record<string, string>> {
  form: FormState<Values>;
  name: keyof Values & string;
  label: string;
  hint?: ComponentChildren;
  isOptional?: boolean;
  children: (attributes: {
    id: string;
    name: string;
    'aria-describedby': string | undefined;
    'aria-invalid': boolean;
  }) => ComponentChildren;
}

/** The frame of a field: label, the control itself, and below it what is wrong or else the hint. */
export function Field<Values extends Record<string, string>>(props: FieldProps<Values>) {
  const { form, name, label, hint, isOptional, children } = props;
  const id = useId();
  const problem = form.problems.value[name];
  const belowId = problem !== undefined || hint !== undefined ? `${id}-below` : undefined;
  return (
    <div class={`field ${problem === undefined ? '' : 'is-wrong'}`}>
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> · optional</span>}
      </label>
      {children({ id, name, 'aria-describedby': belowId, 'aria-invalid': problem !== undefined })}
      {belowId && (
        <p id={belowId} class="below" role={problem === undefined ? undefined : 'alert'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

/** What a field offers while one types: values, or values with words. */
export type Suggestions = readonly (string | readonly [value: string, words: string])[];

export function SuggestionList({ id, suggestions }: { id: string; suggestions: Suggestions }) {
  return (
    <datalist id={id}>
      {suggestions.map((each) => {
        const [value, words] = typeof each === 'string' ? [each] : each;
        return (
          <option key={value} value={value}>
            {words}
          </option>
        );
      })}
    </datalist>
  );
}

type TextFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'> & {
  type?: 'text' | 'email' | 'number' | 'search' | 'url' | 'time' | 'datetime-local';
  autoComplete?: string;
  placeholder?: string;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email';
  step?: string;
  suggestions?: Suggestions;
  /** Behind the text. */
  unit?: string | undefined;
  isMono?: boolean;
  hasFocus?: boolean;
  rows?: number;
};

/** One line of text, or several with `rows`. */
export function TextField<Values extends Record<string, string>>(props: TextFieldProps<Values>) {
  const {
    form,
    name,
    type = 'text',
    isMono,
    hasFocus,
    rows,
    label,
    hint,
    isOptional,
    suggestions,
    unit,
    ...rest
  } = props;
  const input = useFocus<HTMLInputElement & HTMLTextAreaElement>(hasFocus ?? false);
  const listId = useId();
  const shared = {
    class: `input ${isMono ? 'mono' : ''}`,
    value: form.values.value[name] ?? '',
    spellcheck: false,
    autoCapitalize: 'none' as const,
    onInput: (event: Event) => form.set(name, (event.currentTarget as HTMLInputElement).value),
    ...(suggestions && { list: listId, autoComplete: 'off' }),
    ...rest,
  };
  const control = (attributes: object) =>
    rows === undefined ? (
      <input ref={input} type={type} {...shared} {...attributes} />
    ) : (
      <textarea ref={input} rows={rows} {...shared} {...attributes} />
    );
  return (
    <Field form={form} name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {(attributes) => (
        <>
          {unit ? (
            <div class="with-unit">
              {control(attributes)}
              <span class="unit faint">{unit}</span>
            </div>
          ) : (
            control(attributes)
          )}
          {suggestions && <SuggestionList id={listId} suggestions={suggestions} />}
        </>
      )}
    </Field>
  );
}

/** In the time zone of the browser; see `fromLocalMoment`. */
export function MomentField<Values extends Record<string, string>>(props: Omit<FieldProps<Values>, 'children'>) {
  return <TextField {...props} type="datetime-local" step="1" />;
}

/** What can be chosen, in order, with its words. */
export type Options = Readonly<Record<string, string>> | readonly (readonly [value: string, words: string])[];

function entriesOf(options: Options): readonly (readonly [string, string])[] {
  return Array.isArray(options) ? options : Object.entries(options);
}

export function OptionList({ options }: { options: Options }) {
  return (
    <>
      {entriesOf(options).map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </>
  );
}

type SelectFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'> & {
  options: Options;
};

export function SelectField<Values extends Record<string, string>>(props: SelectFieldProps<Values>) {
  const { form, name, options, ...rest } = props;
  return (
    <Field form={form} name={name} {...rest}>
      {(attributes) => (
        <select
          class="input"
          {...attributes}
          value={form.values.value[name]}
          onChange={(event) => form.set(name, event.currentTarget.value)}
        >
          <OptionList options={options} />
        </select>
      )}
    </Field>
  );
}

/** Any of several words; what was ticked is kept as one text, with blanks between. */
export function TicksField<Values extends Record<string, string>>(props: SelectFieldProps<Values>) {
  const { form, name, label, options } = props;
  const ticked = partsOf(form.values.value[name] ?? '', ' ');
  const turn = (word: string) => (ticked.includes(word) ? ticked.filter((other) => other !== word) : [...ticked, word]);
  const problem = form.problems.value[name];
  return (
    <fieldset class="ticks">
      <legend>{label}</legend>
      {entriesOf(options).map(([value, words]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={ticked.includes(value)}
            onChange={() => form.set(name, turn(value).join(' '))}
          />
          {words}
        </label>
      ))}
      {problem && (
        <p class="is-warning" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: Options;
  onChange: (value: string) => void;
}

/** Takes effect at once, such as a filter of a list. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      class="input choice"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <OptionList options={options} />
    </select>
  );
}
