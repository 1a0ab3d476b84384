// The agents that are compared: those chosen, each with a way out, and a field to add another.
import { useId, useState } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Glyph } from '../../components/glyph.tsx';
import { useFleet } from '../../data/fleet.ts';
import { compareText as text } from '../../text/compare.ts';
import { maxAgents } from './compare-series.ts';

interface AgentPickerProps {
  agents: readonly string[];
  onChange: (agents: string[]) => void;
}

// More would make the browser's list slow; typing narrows it anyway.
const maxOffered = 500;

export function AgentPicker({ agents, onChange }: AgentPickerProps) {
  const { agents: fleet } = useFleet();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const id = useId();
  const byName = new Map(fleet?.map((agent) => [agent.ap_id, agent]));
  const add = (name: string) => {
    if (name === '' || agents.includes(name)) return setTyped('');
    if (fleet && !byName.has(name)) return setProblem(text.unknown);
    setTyped('');
    onChange([...agents, name]);
  };
  return (
    <div class="stack">
      {agents.length > 0 && (
        <ul class="compare-agents">
          {agents.map((name) => (
            <li key={name}>
              <Glyph technology={byName.get(name)?.technology} state={byName.get(name)?.state ?? 'never'} />
              <a href={`/agents/${encodeURIComponent(name)}`}>{name}</a>
              <IconButton
                icon="close"
                label={text.remove(name)}
                onClick={() => onChange(agents.filter((each) => each !== name))}
              />
            </li>
          ))}
        </ul>
      )}
      {agents.length >= maxAgents ? (
        <p class="faint">{text.full(maxAgents)}</p>
      ) : (
        <form
          class="compare-add"
          onSubmit={(event) => {
            event.preventDefault();
            add(typed.trim());
          }}
        >
          <div class={`field ${problem ? 'is-wrong' : ''}`}>
            <input
              class="input"
              list={`${id}-names`}
              aria-label={text.addAgent}
              aria-invalid={problem !== ''}
              aria-describedby={`${id}-below`}
              placeholder={text.addAgent}
              autoComplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => {
                setProblem('');
                setTyped(event.currentTarget.value);
              }}
              // A name taken from the browser's list is complete.
              onChange={(event) => byName.has(event.currentTarget.value) && add(event.currentTarget.value)}
            />
            <p id={`${id}-below`} class="below" role={problem ? 'alert' : undefined}>
              {problem}
            </p>
          </div>
          <Button type="submit">{text.add}</Button>
          <datalist id={`${id}-names`}>
            {(fleet ?? [])
              .filter(({ ap_id }) => !agents.includes(ap_id))
              .slice(0, maxOffered)
              .map(({ ap_id }) => (
                <option key={ap_id} value={ap_id} />
              ))}
          </datalist>
        </form>
      )}
    </div>
  );
}
