// What-if beside every button that sends something: on emulated networks the effect within seconds, as figures with their range
// and as ghosts in the charts of the page; all of it is a click away. On real ones nothing can be predicted, and it says so.

import type { WhatIfRequest } from '@weft/contract/lab';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Comparison, call, Failure, type WhatIfAnswer } from '../../../api/client.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { FailureNotice, useTry } from '../../../components/feedback.tsx';
import { SelectField, TextField } from '../../../components/forms/fields.tsx';
import { Form, SubmitButton, useForm } from '../../../components/forms/form.tsx';
import {
  type AskedCommand,
  differenceAddress,
  forecast,
  keepDifference,
  type LookAhead,
} from '../../../components/look-ahead.tsx';
import { isOfNetwork } from '../../../data/agents.ts';
import { useFleet } from '../../../data/fleet.ts';
import { serverNow } from '../../../data/freshness.ts';
import { formatCount, formatSpan, typedNumber } from '../../../format.ts';
import { session } from '../../../session/session.ts';
import { emulatorText } from '../../../text/pages.ts';
import { MovesMap, movesInWords, WhatIfFigures } from './what-if-changes.tsx';
import { WhatIfResult } from './what-if-result.tsx';
import { amountOf, movesIn } from './what-if-view.ts';

const title = 'What-if analysis';

/** What one question may hold. */
const maxCommands = 100;
const futuresOffered = [1, 4, 8, 16, 32];
/** Longer ahead the map would show another hour rather than the commands. */
const mostSeconds = 60;

type Extent = Omit<WhatIfRequest, 'job_number' | 'commands'>;

/** The answer is there within five seconds; of a network that is too large for this in that time, less is run ahead. */
const soon: Extent = { minutes: 2, futures: 4, within_seconds: 4 };

/** Its answer is the forecast of the page until it is cleared or left. */
export function useWhatIf(): LookAhead {
  const { isBusy, failure, setFailure, run } = useTry();
  const [answer, setAnswer] = useState<WhatIfAnswer | undefined>(undefined);
  const [commands, setCommands] = useState<readonly AskedCommand[]>([]);
  const clear = () => {
    setAnswer(undefined);
    setFailure(undefined);
    forecast.value = undefined;
  };
  useEffect(
    () => () => {
      forecast.value = undefined;
    },
    [],
  );
  const look = async (asked: readonly AskedCommand[], extent = soon) => {
    const at = serverNow() / 1000;
    const found = await lookAhead(asked, extent);
    setAnswer(found);
    const ofAgents = new Map(found.agents.map(({ agent_id, metrics }) => [agent_id, metrics]));
    const expected = (ap_id: string, metric: string) => {
      const metrics = ofAgents.get(ap_id) ?? {};
      return Object.hasOwn(metrics, metric) ? amountOf(metrics[metric] as Comparison, 'with') : undefined;
    };
    forecast.value = { at, minutes: found.minutes, expected };
  };
  const ask = async (asked: readonly AskedCommand[]) => {
    clear();
    setCommands(asked);
    await run(() => look(asked));
  };
  const again = (extent: Extent) => look(commands, extent);
  const brief = <WhatIfBrief {...{ isBusy, answer, failure, commands, again, clear }} />;
  return { name: 'what_if', words: 'What if', isBusy, ask, brief };
}

/** The network that runs the first of them; others of the commands are left out. */
async function lookAhead(commands: readonly AskedCommand[], extent: Extent): Promise<WhatIfAnswer> {
  const runs = await call('list_emulator_runs', { query: { all: session.peek()?.isAdmin ?? false, limit: 100 } });
  const run = runs.find(
    ({ is_over, job_number }) => !is_over && commands.some(({ agent_id }) => isOfNetwork(agent_id, job_number)),
  );
  if (!run)
    throw new Failure(
      404,
      'not_your_network',
      'This can be asked by whoever started the emulated network, while it runs.',
    );
  const { job_number } = run;
  const own = commands.filter(({ agent_id }) => isOfNetwork(agent_id, job_number)).slice(0, maxCommands);
  return call('emulator_what_if', { json: { job_number, commands: own, ...extent } });
}

interface WhatIfBriefProps extends Pick<WholeResultProps, 'commands' | 'again'> {
  isBusy: boolean;
  answer: WhatIfAnswer | undefined;
  failure: Failure | undefined;
  clear: () => void;
}

function WhatIfBrief({ isBusy, answer, failure, commands, again, clear }: WhatIfBriefProps) {
  const [isWhole, setWhole] = useState(false);
  const element = useRef<HTMLElement>(null);
  // On a phone it is below what can be seen.
  useEffect(() => element.current?.scrollIntoView({ block: 'nearest' }), [answer]);
  if (isBusy) return <p class="what-if-brief soft" role="status" children="Copies of the network run ahead…" />;
  if (failure) return <FailureNotice failure={failure} />;
  if (!answer) return null;
  const { totals, minutes, ran } = answer;
  return (
    <section ref={element} class="what-if-brief" aria-live="polite" aria-label={title}>
      <div class="spread">
        <h3>{`If sent: the next ${minutes < 1 ? formatSpan(minutes * 60) : formatCount(minutes, 'minute')}`}</h3>
        <Button kind="quiet" size="small" onClick={clear} words="Hide" />
      </div>
      <WhatIfFigures totals={totals} />
      {answer.results.some(({ state }) => state === 'failed') && (
        <p class="late-ink">
          {emulatorText.whatIf.failed(String(answer.results.find(({ state }) => state === 'failed')?.reason))}
        </p>
      )}
      <p class="small">{movesInWords(answer, 2).join(' ') || emulatorText.whatIf.nobody}</p>
      <MovesMap answer={answer} />
      <p class="faint small">{emulatorText.whatIf.ofFutures(formatCount(ran.futures, 'future'))}</p>
      <div>
        <Button size="small" onClick={() => setWhole(true)} words="Show everything" />
      </div>
      {isWhole && <WholeResult {...{ answer, commands, again }} onClose={() => setWhole(false)} />}
    </section>
  );
}

interface WholeResultProps {
  answer: WhatIfAnswer;
  commands: readonly AskedCommand[];
  /** The same, further ahead or in more futures. Throws Failure. */
  again: (extent: Extent) => Promise<void>;
  onClose: () => void;
}

/** All that was found, the map of the difference, and the same question with more minutes and futures. */
function WholeResult({ commands, again, answer, onClose }: WholeResultProps) {
  const { agents = [] } = useFleet();
  const form = useForm<Record<string, string>>({ minutes: '5', futures: '8' });
  const { job_number, minutes } = answer;
  const technology = agents.find(({ ap_id }) => ap_id === commands[0]?.agent_id)?.technology ?? '5G';
  useEffect(() => {
    const after_seconds = Math.max(1, Math.min(mostSeconds, Math.round(minutes * 60)));
    keepDifference(job_number, { commands: [...commands], after_seconds, moves: movesIn(answer) });
  }, [answer]);
  return (
    <Dialog title={title} width="wide" onClose={onClose}>
      <Form
        form={form}
        label="What-if analysis"
        onSubmit={(values) => again({ minutes: typedNumber(values.minutes!), futures: Number(values.futures) })}
      >
        <div class="look-row">
          <TextField {...form.at('minutes')} label="Minutes" inputMode="decimal" />
          <SelectField
            {...form.at('futures')}
            label="Futures"
            options={futuresOffered.map((count) => [String(count), count === 1 ? '1 (exact)' : String(count)] as const)}
          />
          <SubmitButton form={form} words="Run analysis" />
        </div>
      </Form>
      <p class="cluster">
        <ButtonLink icon="map" href={differenceAddress(job_number, technology)} words="Show on the map" />
        <span class="soft small">The map shows where signal, SINR or rate would change.</span>
      </p>
      <WhatIfResult answer={answer} agents={agents} />
    </Dialog>
  );
}
