// The fields of a form: each with its label, and below it what is wrong or else a hint.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { componentText } from '../../text/components.ts';
import { useFocus } from '../overlays/use-focus.ts';
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
        {isOptional && <span class="faint"> · {componentText.optional}</span>}
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

type TextFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'> & {
  type?: 'text' | 'email' | 'number' | 'search' | 'url';
  autoComplete?: string;
  placeholder?: string;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email';
  isMono?: boolean;
  hasFocus?: boolean;
  rows?: number;
};

/** One line of text, or several with `rows`. */
export function TextField<Values extends Record<string, string>>(props: TextFieldProps<Values>) {
  const { form, name, type = 'text', isMono, hasFocus, rows, label, hint, isOptional, ...rest } = props;
  const input = useFocus<HTMLInputElement & HTMLTextAreaElement>(hasFocus ?? false);
  const shared = {
    class: `input ${isMono ? 'mono' : ''}`,
    value: form.values.value[name],
    spellcheck: false,
    autoCapitalize: 'none' as const,
    onInput: (event: Event) => form.set(name, (event.currentTarget as HTMLInputElement).value),
    ...rest,
  };
  return (
    <Field form={form} name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {(attributes) =>
        rows === undefined ? (
          <input ref={input} type={type} {...shared} {...attributes} />
        ) : (
          <textarea ref={input} rows={rows} {...shared} {...attributes} />
        )
      }
    </Field>
  );
}

type SelectFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'> & {
  options: readonly { value: string; label: string }[];
};

export function SelectField<Values extends Record<string, string>>({
  form,
  name,
  options,
  ...rest
}: SelectFieldProps<Values>) {
  return (
    <Field form={form} name={name} {...rest}>
      {(attributes) => (
        <select
          class="input"
          {...attributes}
          value={form.values.value[name]}
          onChange={(event) => form.set(name, event.currentTarget.value)}
        >
          {options.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
