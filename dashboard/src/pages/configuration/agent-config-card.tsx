// What one access point shall be and what it runs, leaf by leaf, with the layer that says so; and what to do about a difference.
import { useCallback, useState } from 'preact/hooks';
import { type AgentConfigView, call } from '../../api/client.ts';
import { Button } from '../../components/button.tsx';
import { Loading, useAction } from '../../components/feedback.tsx';
import { TextField } from '../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../components/forms/form.tsx';
import { queries, useOperation } from '../../data/use-operation.ts';
import { configurationText } from '../../text/configuration.ts';
import { StateMark, valueWords } from './config-words.tsx';

const text = configurationText.agent;

export function AgentConfigCard({ ap_id, mayManage }: { ap_id: string; mayManage: boolean }) {
  const input = { path: { ap_id }, query: { view: 'why' as const } };
  const [isSeen, seen] = useSeen();
  const { data, failure } = useOperation('get_agent_config', input, { pollMs: 5000, isWanted: isSeen });
  const { isBusy, act } = useAction();
  const [isAdopting, setAdopting] = useState(false);
  const leaves = data?.leaves ?? [];
  const [word, meaning] = data?.state ? configurationText.states[data.state] : [];
  const apply = async () => {
    await call('apply_agent_config', { path: { ap_id } });
    queries.refresh('get_agent_config');
    return text.applied;
  };
  return (
    <section class="card stack config-agent" ref={seen}>
      <div class="spread">
        <h2>{text.title}</h2>
        {data?.state && <StateMark state={data.state} words={word!} />}
      </div>
      {isSeen && <Loading data={data} failure={failure} again="get_agent_config" />}
      {data && <p class="soft small">{[meaning ?? text.none, data.detail].filter(Boolean).join(' ')}</p>}
      <ul class="config-leaves" aria-label={text.leaves}>
        {leaves.map((leaf) => (
          <LeafRow key={leaf.leaf} leaf={leaf} />
        ))}
      </ul>
      {mayManage && data?.state && (
        <div class="cluster">
          <Button isBusy={isBusy} onClick={() => act(apply)} words={text.apply} />
          {leaves.some(isOtherwise) && <Button onClick={() => setAdopting(true)} words={text.adopt} />}
        </div>
      )}
      {isAdopting && <AdoptDialog ap_id={ap_id} onClose={() => setAdopting(false)} />}
    </section>
  );
}

/** Whether somebody has scrolled to it: it is far down, and its page asks for much already. */
export function useSeen(): [boolean, (element: Element | null) => void] {
  const [isSeen, setSeen] = useState(false);
  const watch = useCallback((element: Element | null) => {
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      setSeen(true);
    });
    observer.observe(element);
  }, []);
  return [isSeen, watch];
}

type Leaf = NonNullable<AgentConfigView['leaves']>[number];

function isOtherwise({ value, running }: Leaf): boolean {
  return running !== null && JSON.stringify(value) !== JSON.stringify(running);
}

function LeafRow({ leaf }: { leaf: Leaf }) {
  const { leaf: name, value, running, command_id } = leaf;
  const words =
    running === null ? text.unknown : isOtherwise(leaf) ? text.runs(valueWords(name, running)) : text.runsIt;
  return (
    <li>
      <span>
        <code>{name}</code> <b>{valueWords(name, value)}</b>
      </span>
      <span class={isOtherwise(leaf) ? 'is-warning' : 'soft'}>
        {words} {command_id !== null && <a href={`/commands/${command_id}`}>{text.held}</a>}
      </span>
      <span class="faint small">{text.from(leaf.name, leaf.version)}</span>
    </li>
  );
}

function AdoptDialog({ ap_id, onClose }: { ap_id: string; onClose: () => void }) {
  const form = useForm({ why: '' });
  const adopt = async ({ why }: { why: string }) => {
    await call('adopt_agent_config', { path: { ap_id }, json: { why: why.trim() } });
    queries.refresh('get_agent_config');
    onClose();
  };
  return (
    <FormDialog {...{ form, onClose }} title={text.adopt} onSubmit={adopt}>
      <p class="soft">{text.adoptWords}</p>
      <TextField {...form.at('why')} label={text.why} hint={text.whyHint} />
      <SubmitRow form={form} words={text.adopt} />
    </FormDialog>
  );
}
