// Commands and conflicts of an agent as marks on its charts: cause beside effect.
import { useMemo } from 'preact/hooks';
import type { ChartMark } from '../../components/chart/chart.tsx';
import { useOperation } from '../../data/use-operation.ts';
import { agentsText } from '../../text/agents.ts';
import { commandsText } from '../../text/commands.ts';

const limit = 100;

export function useAgentMarks(ap_id: string): ChartMark[] {
  const text = agentsText.one;
  const query = { agent: ap_id, limit };
  const commands = useOperation('list_commands', { query }, { pollMs: 2000 });
  const conflicts = useOperation('list_conflicts', { query }, { pollMs: 5000 });
  return useMemo(() => {
    const states = commandsText.states;
    return [
      ...(commands.data ?? []).map(
        ({ created_at, name, state, caller_name }): ChartMark => ({
          time: Date.parse(created_at) / 1000,
          kind: 'command',
          name,
          label: text.command(name, states[state].toLowerCase(), caller_name),
        }),
      ),
      ...(conflicts.data?.conflicts ?? []).map(
        ({ ts, parameter }): ChartMark => ({
          time: Date.parse(ts) / 1000,
          kind: 'conflict',
          name: text.conflictShort,
          label: text.conflict(parameter),
        }),
      ),
    ];
  }, [commands.data, conflicts.data]);
}
