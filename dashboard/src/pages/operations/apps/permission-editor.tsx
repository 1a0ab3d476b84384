// What an app may do, as a form that says in a sentence what it means.
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button, IconButton } from '../../../components/button.tsx';
import { MomentField, SelectField, TextField } from '../../../components/forms/fields.tsx';
import { CommandSuggestions, NamedCommands, PatternMatches } from './command-coverage.tsx';
import './permission-editor.css';
import {
  type CommandLimit,
  type PermissionFormState,
  readLimits,
  selectorOf,
  toPermissions,
} from './permission-form.ts';
import { PermissionWords } from './permission-sentence.tsx';

const text = {
  agents: 'Access points',
  read: 'Read access',
  commands: 'Commands',
  emulator: 'Emulated networks',
  priority: 'Priority',
  until: 'Expires',
  other: 'Other keys, as JSON',
};

export function PermissionEditor({ form }: { form: PermissionFormState }) {
  const { agentsMode, commandsMode, emulatorMode } = form.values.value;
  return (
    <div class="permission-editor">
      <Sentence form={form} />
      <Part title={text.agents}>
        <SelectField
          {...form.at('agentsMode')}
          label={text.agents}
          options={{ all: 'All access points', some: 'Only selected access points' }}
        />
        {agentsMode === 'some' && (
          <TextField
            {...form.at('permissions.agents')}
            label="Ids or patterns, one per line"
            hint="* matches any text, ? matches one character: ap-lab-*"
            rows={3}
            isMono
          />
        )}
        {agentsMode === 'some' && (
          <TextField
            {...form.at('permissions.selector')}
            label="Sites, tags or names"
            hint="site:uk/cardiff/** or tag:lobby or name:ap-hall-*; with ids above, both must allow an access point"
            isMono
          />
        )}
        {selectorOf(form.values.value) === '' && <PatternMatches form={form} />}
      </Part>
      <Part title={text.read}>
        <SelectField
          {...form.at('permissions.read')}
          label={text.read}
          options={{ yes: 'May read access points and their data', no: 'May not read' }}
        />
      </Part>
      <Part title={text.commands}>
        <SelectField
          {...form.at('commandsMode')}
          label={text.commands}
          options={{
            all: 'Any command',
            none: 'No commands',
            list: 'Only selected commands',
            limits: 'Only selected commands, with limits',
          }}
        />
        {commandsMode === 'list' && (
          <TextField
            {...form.at('permissions.commands')}
            label="Command names, one per line"
            hint="As declared by the access points: sleep, wake, set_tx_power"
            rows={3}
            isMono
          />
        )}
        {commandsMode === 'limits' && <Limits form={form} />}
        <NamedCommands form={form} />
        {(commandsMode === 'list' || commandsMode === 'limits') && <CommandSuggestions form={form} />}
      </Part>
      <Part title={text.emulator}>
        <SelectField
          {...form.at('emulatorMode')}
          label={text.emulator}
          options={{
            all: 'May start networks of any size',
            none: 'May not start networks',
            some: 'Limited number of access points',
          }}
        />
        {emulatorMode === 'some' && (
          <TextField {...form.at('permissions.emulator')} label="Maximum number of access points" inputMode="numeric" />
        )}
      </Part>
      <Part title={text.priority}>
        <TextField
          {...form.at('permissions.priority')}
          label={text.priority}
          hint="0 to 100; default: 50. If two apps conflict, the higher priority wins."
          inputMode="decimal"
          placeholder="50"
          isOptional
        />
      </Part>
      <Part title={text.until}>
        <MomentField
          {...form.at('permissions.expires_at')}
          label={text.until}
          hint="Leave empty for no expiry"
          isOptional
        />
      </Part>
      <Part title={text.other}>
        <TextField
          {...form.at('permissions')}
          label={text.other}
          hint="Stored for the app; Weft does not use them"
          rows={3}
          isMono
          isOptional
        />
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="permission-part">
      <legend class="visually-hidden">{title}</legend>
      {children}
    </fieldset>
  );
}

function Sentence({ form }: { form: PermissionFormState }) {
  const permissions = useComputed(() => {
    try {
      return toPermissions(form.values.value);
    } catch {
      // While something is half typed, the last field that cannot be read is left out.
      return toPermissions({ ...form.values.value, permissions: '', emulatorMode: 'none' });
    }
  }).value;
  return (
    <p class="permission-sentence" aria-live="polite">
      {'This app '}
      <PermissionWords permissions={permissions} />.
    </p>
  );
}

function Limits({ form }: { form: PermissionFormState }) {
  const id = useId();
  const rows = readLimits(form.values.value.limits);
  const problem = form.problems.value['permissions.commands'];
  const write = (next: CommandLimit[]) => {
    form.set('limits', JSON.stringify(next));
    // The server's word about the limits goes with the first change.
    const { 'permissions.commands': _mended, ...rest } = form.problems.peek();
    form.problems.value = rest;
  };
  const change = (index: number, part: Partial<CommandLimit>) =>
    write(rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  const fields = [
    { key: 'command', label: 'Command' },
    { key: 'argument', label: 'Argument' },
    { key: 'min', label: 'Minimum' },
    { key: 'max', label: 'Maximum' },
  ] as const;
  return (
    <div class={`field ${problem ? 'is-wrong' : ''}`}>
      <div class="limit-rows" role="group" aria-label="Limits">
        {rows.map((row, index) => (
          // Rows have no name of their own but their place.
          <div key={index} class="limit-row">
            {fields.map(({ key, label }) => (
              <input
                key={key}
                class={`input ${key === 'command' || key === 'argument' ? 'mono' : ''}`}
                aria-label={`${label} ${index + 1}`}
                aria-invalid={problem !== undefined && index === 0 && key === 'command'}
                aria-describedby={`${id}-below`}
                placeholder={label}
                spellcheck={false}
                inputMode={key === 'min' || key === 'max' ? 'decimal' : 'text'}
                autoCapitalize="none"
                value={row[key]}
                onInput={(event) => change(index, { [key]: event.currentTarget.value })}
              />
            ))}
            <IconButton icon="close" label="Remove this limit" onClick={() => write(rows.toSpliced(index, 1))} />
          </div>
        ))}
      </div>
      <p id={`${id}-below`} class="below" role={problem ? 'alert' : undefined}>
        {problem ?? 'Leave the argument empty to allow the command without limits.'}
      </p>
      <div>
        <Button
          size="small"
          icon="plus"
          onClick={() => write([...rows, { command: '', argument: '', min: '', max: '' }])}
        >
          Add a limit
        </Button>
      </div>
    </div>
  );
}
