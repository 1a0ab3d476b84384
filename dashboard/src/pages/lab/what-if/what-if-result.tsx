// What a look ahead has shown: the network with the commands beside the network without them, in how many futures, and who
// takes over.
import './what-if.css';
import type { WhatIfAnswer } from '../../../api/client.ts';
import { Notice } from '../../../components/feedback.tsx';
import { agentName } from '../../../data/agents.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { formatCount, formatSpan } from '../../../format.ts';
import { emulatorText } from '../../../text/pages.ts';
import { TakeOvers, WhatIfChanges, WhatIfFigures } from './what-if-changes.tsx';

const succeeded = 'succeeded';

export function WhatIfResult({ answer, agents }: { answer: WhatIfAnswer; agents: readonly FleetAgent[] }) {
  const { totals, minutes, ran, exact } = answer;
  return (
    <div class="stack what-if-result" aria-live="polite">
      <div>
        <h3>{`After ${formatCount(minutes, 'minute')}`}</h3>
        <p class="soft">
          {exact
            ? 'Exact: this is what happens if you send the commands now.'
            : emulatorText.whatIf.ofFutures(formatCount(ran.futures, 'future'))}
        </p>
      </div>
      <Limits answer={answer} />
      <WhatIfFigures totals={totals} />
      <Outcomes results={answer.results} />
      <TakeOvers answer={answer} />
      <WhatIfChanges answer={answer} agents={agents} />
    </div>
  );
}

/** What was asked for and could not be run. */
function Limits({ answer: { asked, ran, limited_by } }: { answer: WhatIfAnswer }) {
  return (
    <>
      {limited_by.includes('computing_time') && (
        <Notice
          kind="warning"
          title={`Simulated: ${extent(ran)}, instead of ${extent(asked)}`}
          words="The computing time of one analysis is limited. Fewer minutes or a smaller network allow more futures."
        />
      )}
      {limited_by.includes('answer_size') && (
        <Notice
          kind="warning"
          title={`${formatCount(asked.agents - ran.agents, 'access point')} with the smallest changes are left out: the answer would be too long.`}
        />
      )}
    </>
  );
}

function extent({ minutes, futures }: WhatIfAnswer['ran']): string {
  return `${formatCount(minutes, 'minute')} in ${formatCount(futures, 'future')}`;
}

function Outcomes({ results }: { results: WhatIfAnswer['results'] }) {
  return (
    <section class="stack">
      <h3>Command results</h3>
      <ul class="what-if-outcomes">
        {results.map((result, index) => (
          <li key={index}>
            {agentName(String(result.agent_id))}: {String(result.name)} <span class="soft">{outcomeWords(result)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeWords({ state, reason, settles_in_seconds }: Record<string, unknown>): string {
  if (state === 'failed') return emulatorText.whatIf.failed(String(reason ?? ''));
  if (state === 'unanswered') return 'no answer';
  const settles = typeof settles_in_seconds === 'number' && settles_in_seconds > 0;
  return settles ? `${succeeded}, full effect after ${formatSpan(settles_in_seconds, 2)}` : succeeded;
}
