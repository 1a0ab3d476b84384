// Sends a command: to whom, what, and its result. Whom it goes to stands in the address, so that other pages can
// lead here and a choice can be shared.
import { isGlob, matchesGlob } from '@weft/contract/glob';
import { useMemo } from 'preact/hooks';
import { ButtonLink } from '../../../components/button.tsx';
import { EmptyState, Loading } from '../../../components/feedback.tsx';
import { Card, Page } from '../../../components/page.tsx';
import { isOfNetwork } from '../../../data/agents.ts';
import { useFleet } from '../../../data/fleet.ts';
import { type PageProps, place, setQuery, useQueryState } from '../../../router/location.ts';
import { commandsText } from '../../../text/pages.ts';
import { AgentList, AgentPattern } from './agent-picker.tsx';
import { CommandForm } from './command-form.tsx';
import { readCommand } from './declared-commands.ts';
import './send-command-page.css';

const collator = new Intl.Collator('en', { numeric: true });

export function SendCommandPage({ title }: PageProps) {
  const { agents: all, failure } = useFleet();
  const [network] = useQueryState('network');
  const agents = useMemo(
    () => (network ? all?.filter(({ ap_id }) => isOfNetwork(ap_id, network)) : all),
    [all, network],
  );
  const [given, setGiven] = useQueryState('agent');
  const [way, setWay] = useQueryState('by', isGlob(given) ? 'pattern' : '');
  const byPattern = way === 'pattern';
  const chosen = useMemo(() => new Set(byPattern ? [] : given.split(',').filter(Boolean)), [given, byPattern]);
  const targets = useMemo(
    () =>
      (agents ?? []).filter(({ ap_id }) => (byPattern ? given !== '' && matchesGlob(given, ap_id) : chosen.has(ap_id))),
    [agents, chosen, given, byPattern],
  );
  const sorted = useMemo(() => agents?.toSorted((a, b) => collator.compare(a.ap_id, b.ap_id)), [agents]);
  const initial = useMemo(() => readCommand(new URLSearchParams(place.peek().search).get('command') ?? ''), []);
  return (
    <Page title={title} beside={<a href="/commands">{commandsText.one.back}</a>}>
      <Loading data={agents} failure={failure} lines={8} />
      {agents?.length === 0 && (
        <EmptyState
          title="There are no access points yet."
          actions={<ButtonLink href="/emulator" kind="primary" words="Start some in the emulator" />}
        />
      )}
      {agents && agents.length > 0 && (
        <div class="send-grid">
          <section class="card stack">
            <div class="spread send-head">
              <h2>{commandsText.picker.label}</h2>
              <fieldset class="way-choice">
                <legend class="visually-hidden">How to select access points</legend>
                {(['', 'pattern'] as const).map((value) => (
                  <label key={value}>
                    <input
                      type="radio"
                      name="way"
                      checked={way === value}
                      onChange={() => {
                        setQuery({ agent: undefined });
                        setWay(value);
                      }}
                    />
                    {value === '' ? 'From the list' : 'By name pattern'}
                  </label>
                ))}
              </fieldset>
            </div>
            {byPattern ? (
              <AgentPattern pattern={given} count={targets.length} onChange={setGiven} />
            ) : (
              <AgentList agents={sorted ?? []} chosen={chosen} onChange={(next) => setGiven([...next].join(','))} />
            )}
            {agents.some(({ may }) => !may.includes('command')) && (
              <p class="faint small">
                You may send commands only to access points of networks that you started, or that were granted to you.
                For others, ask an administrator.
              </p>
            )}
          </section>
          <Card title="Command to send">
            <CommandForm targets={targets} pattern={byPattern && given !== '' ? given : undefined} initial={initial} />
          </Card>
        </div>
      )}
    </Page>
  );
}
