// Asks what would happen: a list of commands is made, and copies of the network run ahead with them and without, in several
// futures.
import './what-if.css';
import { useMemo, useState } from 'preact/hooks';
import { call, Failure, type WhatIfAnswer, withProblemsMoved } from '../../api/client.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { FailureNotice, Notice } from '../../components/feedback.tsx';
import { SelectField, TextField } from '../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/forms/form.tsx';
import { agentName } from '../../data/agents.ts';
import type { FleetAgent } from '../../data/fleet.ts';
import { now, serverNow } from '../../data/freshness.ts';
import { formatCount, formatSpan } from '../../format.ts';
import { commandsText } from '../../text/commands.ts';
import { emulatorText } from '../../text/emulator.ts';
import { AgentList } from '../commands/agent-picker.tsx';
import { CommandFields } from '../commands/command-fields.tsx';
import { commandInWords } from '../commands/command-words.ts';
import {
  commonCommands,
  readDeclaredCommands,
  toCommand,
  type WrittenCommand,
  writeCommand,
} from '../commands/declared-commands.ts';
import { WhatIfMapLink, WhatIfResult } from './what-if-result.tsx';

const text = emulatorText.whatIf;
const futuresOffered = [1, 4, 8, 16, 32];
/** The server answers by then, with as much as it could run. */
const longestSeconds = 60;
/** What one question may hold. */
const maxCommands = 100;

interface Planned {
  agent_id: string;
  command: WrittenCommand;
}

export function WhatIf({ job_number, agents }: { job_number: string; agents: readonly FleetAgent[] }) {
  const [planned, setPlanned] = useState<readonly Planned[]>([]);
  const [answer, setAnswer] = useState<WhatIfAnswer | undefined>(undefined);
  const [startedAt, setStartedAt] = useState<number | undefined>(undefined);
  const ask = useForm<Record<string, string>>({ minutes: '5', futures: '8', commands: '' });
  const look = async ({ minutes = '', futures = '' }: Record<string, string>) => {
    setAnswer(undefined);
    setStartedAt(serverNow());
    const number = Number(minutes);
    try {
      const commands = planned.map(({ agent_id, command }) => ({ agent_id, command: writeCommand(command) }));
      const ahead = minutes.trim() !== '' && Number.isFinite(number) ? number : (minutes as unknown as number);
      const json = { job_number, commands, minutes: ahead, futures: Number(futures) };
      setAnswer(await call('emulator_what_if', { json }));
    } catch (error) {
      throw withProblemsMoved(error, (path) => (path.startsWith('commands') ? { field: 'commands' } : undefined));
    } finally {
      setStartedAt(undefined);
    }
  };
  const problem = ask.problems.value.commands;
  return (
    <section class="card stack">
      <div>
        <h2>{text.title}</h2>
        <p class="soft">{text.words}</p>
      </div>
      <Planner
        agents={agents}
        onAdd={(fresh) => {
          const all = [...planned, ...fresh];
          setPlanned(all.slice(0, maxCommands));
        }}
      />
      {planned.length === 0 ? (
        <p class="soft small">{text.nothing}</p>
      ) : (
        <ul class="planned" aria-label={text.list}>
          {planned.map((item, index) => (
            <li key={index}>
              <span class="soft">{agentName(item.agent_id)}</span>
              {commandInWords(item.command)}
              <IconButton
                icon="close"
                label={text.remove(item.command.name, agentName(item.agent_id))}
                onClick={() => setPlanned(planned.toSpliced(index, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      {planned.length === maxCommands && <Notice kind="warning" title={text.full} />}
      {problem !== undefined && <Notice kind="failure" title={problem} />}
      <Form form={ask} label={text.label} onSubmit={look}>
        <div class="look-row">
          <TextField {...ask.at('minutes')} label={text.minutes} inputMode="decimal" />
          <SelectField
            {...ask.at('futures')}
            label={text.futures}
            options={futuresOffered.map((count) => [String(count), text.futureChoice(count)] as const)}
          />
          <SubmitButton form={ask} disabled={planned.length === 0} words={text.submit} />
        </div>
      </Form>
      {startedAt !== undefined && <Looking since={startedAt} values={ask.values.value} />}
      {answer && <WhatIfResult answer={answer} agents={agents} />}
      {answer && planned.length > 0 && (
        <WhatIfMapLink
          {...{ job_number, agents }}
          minutes={answer.minutes}
          commands={planned.map(({ agent_id, command }) => ({ agent_id, command: writeCommand(command) }))}
        />
      )}
    </section>
  );
}

function Planner({ agents, onAdd }: { agents: readonly FleetAgent[]; onAdd: (planned: Planned[]) => void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const form = useForm<Record<string, string>>({ name: '', arguments: '' });
  // Presence changes all the time; what they can do does not.
  const key = agents.map(({ ap_id, configuration }) => ap_id + JSON.stringify(configuration.commands)).join();
  const commands = useMemo(() => {
    const wanted = agents.filter(({ ap_id }) => chosen.size === 0 || chosen.has(ap_id));
    return commonCommands(wanted.map(({ configuration }) => readDeclaredCommands(configuration)));
  }, [chosen, key]);
  const add = () => {
    setFailure(undefined);
    try {
      const command = toCommand(commands, form.values.peek());
      if (command.name !== '') onAdd([...chosen].map((agent_id) => ({ agent_id, command })));
    } catch (error) {
      setFailure(error instanceof Failure ? error : undefined);
    }
  };
  const hasCommand = form.values.value.name !== '';
  return (
    <div class="planner">
      <div class="stack" role="group" aria-label={text.agents}>
        <h3>{text.agents}</h3>
        <AgentList agents={agents} chosen={chosen} onChange={setChosen} />
      </div>
      <div class="stack" role="group" aria-label={text.command}>
        <h3>{text.command}</h3>
        {failure && <FailureNotice failure={failure} />}
        {!commands && <p class="soft">{text.notYet}</p>}
        {commands?.length === 0 ? (
          <Notice kind="warning" title={commandsText.form.noCommon} words={commandsText.form.noCommonWords} />
        ) : (
          commands && <CommandFields form={form} commands={commands} />
        )}
        <div>
          <Button icon="plus" disabled={chosen.size === 0 || !hasCommand} onClick={add} words={text.add} />
        </div>
      </div>
    </div>
  );
}

/** How far the copies are is not told; that they run, for how long, and when there will be an answer at the latest, can be. */
function Looking({ since, values }: { since: number; values: Record<string, string> }) {
  const seconds = Math.max(0, (now.value - since) / 1000);
  const extent = text.extent(
    formatCount(Number(values.minutes), 'minute'),
    formatCount(Number(values.futures), 'future'),
  );
  return (
    <div class="look-progress" role="status">
      <div class="spread small">
        <span>{text.running(extent)}</span>
        <span class="faint">{text.elapsed(formatSpan(seconds, 2), formatSpan(longestSeconds, 2))}</span>
      </div>
      <progress aria-label={text.label} />
    </div>
  );
}
