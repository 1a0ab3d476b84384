// What an app may do, as a form that says in a sentence what it means.
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { MomentField, SelectField, TextField } from '../../components/forms/fields.tsx';
import { appsText } from '../../text/apps.ts';
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

const text = appsText.may;

export function PermissionEditor({ form }: { form: PermissionFormState }) {
  const { agentsMode, commandsMode, emulatorMode } = form.values.value;
  return (
    <div class="permission-editor">
      <Sentence form={form} />
      <Part title={text.agents}>
        <SelectField
          {...form.at('agentsMode')}
          label={text.agents}
          options={{ all: text.agentsAll, some: text.agentsSome }}
        />
        {agentsMode === 'some' && (
          <TextField
            {...form.at('permissions.agents')}
            label={text.patterns}
            hint={text.patternsHint}
            rows={3}
            isMono
          />
        )}
        {agentsMode === 'some' && (
          <TextField {...form.at('permissions.selector')} label={text.selector} hint={text.selectorHint} isMono />
        )}
        {selectorOf(form.values.value) === '' && <PatternMatches form={form} />}
      </Part>
      <Part title={text.read}>
        <SelectField
          {...form.at('permissions.read')}
          label={text.read}
          options={{ yes: text.readYes, no: text.readNo }}
        />
      </Part>
      <Part title={text.commands}>
        <SelectField
          {...form.at('commandsMode')}
          label={text.commands}
          options={{
            all: text.commandsAll,
            none: text.commandsNone,
            list: text.commandsList,
            limits: text.commandsLimits,
          }}
        />
        {commandsMode === 'list' && (
          <TextField
            {...form.at('permissions.commands')}
            label={text.commandNames}
            hint={text.commandHint}
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
          options={{ all: text.emulatorAll, none: text.emulatorNone, some: text.emulatorSome }}
        />
        {emulatorMode === 'some' && (
          <TextField {...form.at('permissions.emulator')} label={text.emulatorMax} inputMode="numeric" />
        )}
      </Part>
      <Part title={text.priority}>
        <TextField
          {...form.at('permissions.priority')}
          label={text.priority}
          hint={text.priorityHint}
          inputMode="decimal"
          placeholder="50"
          isOptional
        />
      </Part>
      <Part title={text.until}>
        <MomentField {...form.at('permissions.expires_at')} label={text.until} hint={text.untilHint} isOptional />
      </Part>
      <Part title={text.other}>
        <TextField {...form.at('permissions')} label={text.other} hint={text.otherHint} rows={3} isMono isOptional />
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
      {text.it}
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
    { key: 'command', label: text.limitCommand },
    { key: 'argument', label: text.limitArgument },
    { key: 'min', label: text.limitMin },
    { key: 'max', label: text.limitMax },
  ] as const;
  return (
    <div class={`field ${problem ? 'is-wrong' : ''}`}>
      <div class="limit-rows" role="group" aria-label={text.limits}>
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
            <IconButton icon="close" label={text.removeLimit} onClick={() => write(rows.toSpliced(index, 1))} />
          </div>
        ))}
      </div>
      <p id={`${id}-below`} class="below" role={problem ? 'alert' : undefined}>
        {problem ?? text.limitHint}
      </p>
      <div>
        <Button
          size="small"
          icon="plus"
          onClick={() => write([...rows, { command: '', argument: '', min: '', max: '' }])}
        >
          {text.addLimit}
        </Button>
      </div>
    </div>
  );
}
