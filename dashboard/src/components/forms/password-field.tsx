// A password: it can be looked at, and a new one is judged while it is typed.
import { useState } from 'preact/hooks';
import { passwordStrength } from '../../session/passwords.ts';
import { IconButton } from '../button.tsx';
import { useFocus } from '../dialog.tsx';
import { Field, type FieldProps } from './fields.tsx';

const texts = {
  strength: { too_short: 'Too short', weak: 'Weak', fair: 'Fair', strong: 'Strong' },
  tooShort: (min: number) => `At least ${min} characters`,
};

type PasswordFieldProps<Values extends Record<string, string>> = Omit<FieldProps<Values>, 'children'> & {
  isNew?: boolean;
  minLength?: number;
  /** Words that would be easy to guess in it. */
  own?: readonly string[];
  hasFocus?: boolean;
};

export function PasswordField<Values extends Record<string, string>>(props: PasswordFieldProps<Values>) {
  const { form, name, label, hint, isNew = false, minLength = 8, own = [], hasFocus } = props;
  const [isShown, setShown] = useState(false);
  const input = useFocus<HTMLInputElement>(hasFocus ?? false);
  const value = form.values.value[name] ?? '';
  return (
    <Field
      form={form}
      name={name}
      label={label}
      hint={isNew ? <PasswordStrength {...{ value, minLength, own }} /> : hint}
    >
      {(attributes) => (
        <div class="with-button">
          <input
            class="input"
            type={isShown ? 'text' : 'password'}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            value={value}
            ref={input}
            spellcheck={false}
            autoCapitalize="none"
            onInput={(event) => form.set(name, event.currentTarget.value)}
            {...attributes}
          />
          <IconButton
            icon="eye"
            label={isShown ? 'Hide password' : 'Show password'}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        </div>
      )}
    </Field>
  );
}

interface PasswordStrengthProps {
  value: string;
  minLength: number;
  /** Words that would be easy to guess in it. */
  own: readonly string[];
}

export function PasswordStrength({ value, minLength, own }: PasswordStrengthProps) {
  if (value === '') return <>{texts.tooShort(minLength)}</>;
  const strength = passwordStrength(value, minLength, own);
  return (
    <span class={`strength ${strength}`}>
      <span class="bars" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span aria-live="polite">
        <span class="visually-hidden">Password strength: </span>
        {strength === 'too_short'
          ? texts.tooShort(minLength)
          : strength === 'weak' && containsOneOf(own, value)
            ? 'Weak: contains the name'
            : texts.strength[strength]}
      </span>
    </span>
  );
}

function containsOneOf(words: readonly string[], text: string): boolean {
  return words.some((word) => word.length >= 3 && text.toLowerCase().includes(word.toLowerCase()));
}
