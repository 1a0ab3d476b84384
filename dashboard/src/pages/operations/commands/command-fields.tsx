// The part of a form that says what to do: a command, and fields for the arguments that the access points declare.
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import type { FormState } from '../../../components/forms/form.tsx';
import {
  boundsInWords,
  type DeclaredArgument,
  type DeclaredCommand,
  type KnownValues,
  valueNow,
} from './declared-commands.ts';
import './command-form.css';

const nameText = 'Command';

export type CommandFormState = FormState<Record<string, string>>;

interface CommandFieldsProps {
  /** Holds the command under `name`, and its arguments under `args.<name>`, or all of them as JSON under `arguments`. */
  form: CommandFormState;
  /** Undefined: the access points list none, and anything may be sent. */
  commands: readonly DeclaredCommand[] | undefined;
  /** The one that it is for: what its values are now. */
  now?: KnownValues | undefined;
}

export function CommandFields({ form, commands, now }: CommandFieldsProps) {
  if (!commands) {
    return (
      <div class="command-fields">
        <TextField
          {...form.at('name')}
          label={nameText}
          hint="This access point does not declare its commands. You can send any command."
          isMono
        />
        <FreeArguments form={form} />
      </div>
    );
  }
  const chosen = commands.find(({ name }) => name === form.values.value.name);
  const options = [['', 'Choose a command'] as const, ...commands.map(({ name }) => [name, name] as const)];
  return (
    <div class="command-fields">
      <SelectField {...form.at('name')} label={nameText} options={options} />
      {chosen && !chosen.params && <FreeArguments form={form} />}
      {Object.entries(chosen?.params ?? {}).map(([arg, bounds]) => (
        <ArgumentField
          key={`${chosen!.name} ${arg}`}
          form={form}
          arg={arg}
          bounds={bounds}
          now={now && valueNow(chosen!.name, arg, now)}
        />
      ))}
    </div>
  );
}

function FreeArguments({ form }: { form: CommandFormState }) {
  return (
    <TextField
      {...form.at('arguments')}
      label="Arguments"
      hint={'A JSON object, such as {"dbm": 17}'}
      rows={2}
      isMono
      isOptional
    />
  );
}

interface ArgumentFieldProps {
  form: CommandFormState;
  arg: string;
  bounds: DeclaredArgument;
  now: string | undefined;
}

function ArgumentField({ form, arg, bounds, now }: ArgumentFieldProps) {
  const name = `args.${arg}`;
  const values = bounds.enum?.map(String) ?? (bounds.type === 'boolean' ? ['true', 'false'] : undefined);
  const words = boundsInWords(bounds);
  const bound = words !== '' ? words : bounds.type === 'string' ? 'optional' : undefined;
  const hint = [now && `Now ${now}`, bound].filter(Boolean).join(' · ') || undefined;
  if (values) {
    const options = [
      ['', now === undefined ? 'not set' : `Unchanged (now ${now})`] as const,
      ...values.map((value) => [value, labelOf(value)] as const),
    ];
    return <SelectField {...form.at(name)} label={arg} options={options} />;
  }
  const isNumber = bounds.type === 'number' || bounds.type === 'integer';
  return (
    <TextField
      {...form.at(name)}
      label={arg}
      hint={hint}
      unit={bounds.unit}
      autoComplete="off"
      inputMode={isNumber ? 'decimal' : 'text'}
    />
  );
}

function labelOf(value: string): string {
  return value === 'true' ? 'yes' : value === 'false' ? 'no' : value;
}

export function MoreOptions({ form }: { form: CommandFormState }) {
  const isWrong = ['hold_seconds', 'expires_in'].some((name) => form.problems.value[name] !== undefined);
  return (
    <details class="more-options" open={isWrong || undefined}>
      <summary>More options: lease, expiry</summary>
      <div class="stack">
        <div class="command-fields">
          <TextField
            {...form.at('hold_seconds')}
            label="Lease duration"
            hint="seconds in which callers with lower priority cannot change it; 0: no lease; default: see conflict rules"
            inputMode="numeric"
          />
          <TextField
            {...form.at('expires_in')}
            label="Expires after"
            hint="seconds; default: 600"
            inputMode="numeric"
          />
        </div>
      </div>
    </details>
  );
}
