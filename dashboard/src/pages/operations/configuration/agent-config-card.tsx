// What one access point shall be and what it runs, leaf by leaf, with the layer that says so; and what to do about a difference.
import { useCallback, useState } from 'preact/hooks';
import { type AgentConfigView, call } from '../../../api/client.ts';
import { Button } from '../../../components/button.tsx';
import { Loading, useAction } from '../../../components/feedback.tsx';
import { TextField } from '../../../components/forms/fields.tsx';
import { FormDialog, SubmitRow, useForm } from '../../../components/forms/form.tsx';
import { queries, useOperation } from '../../../data/use-operation.ts';
import { configurationText } from '../../../text/pages.ts';
import { StateMark, valueWords } from './config-words.tsx';

const adoptText = 'Adopt what it runs';

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
    return 'The settings are on their way';
  };
  return (
    <section class="card stack config-agent" ref={seen}>
      <div class="spread">
        <h2>Desired configuration</h2>
        {data?.state && <StateMark state={data.state} words={word!} />}
      </div>
      {isSeen && <Loading data={data} failure={failure} again="get_agent_config" />}
      {data && (
        <p class="soft small">
          {[meaning ?? 'No layer is about this access point.', data.detail].filter(Boolean).join(' ')}
        </p>
      )}
      <ul class="config-leaves" aria-label="Settings: desired, running and where they come from">
        {leaves.map((leaf) => (
          <LeafRow key={leaf.leaf} leaf={leaf} />
        ))}
      </ul>
      {mayManage && data?.state && (
        <div class="cluster">
          <Button isBusy={isBusy} onClick={() => act(apply)} words="Apply again" />
          {leaves.some(isOtherwise) && <Button onClick={() => setAdopting(true)} words={adoptText} />}
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
    running === null
      ? 'does not say what it runs'
      : isOtherwise(leaf)
        ? `runs ${valueWords(name, running)}`
        : 'runs this';
  return (
    <li>
      <span>
        <code>{name}</code> <b>{valueWords(name, value)}</b>
      </span>
      <span class={isOtherwise(leaf) ? 'is-warning' : 'soft'}>
        {words} {command_id !== null && <a href={`/commands/${command_id}`}>held by a command</a>}
      </span>
      <span class="faint small">{`from ${leaf.name}, version ${leaf.version}`}</span>
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
    <FormDialog {...{ form, onClose }} title={adoptText} onSubmit={adopt}>
      <p class="soft">What it runs otherwise becomes a layer of its own, over all others.</p>
      <TextField
        {...form.at('why')}
        label="Reason"
        hint="Such as: radar on channel 40. It becomes part of the name of the layer."
      />
      <SubmitRow form={form} words={adoptText} />
    </FormDialog>
  );
}
