// An empty network as an invitation: one button to a whole demo network, the way to register real access points, and how the demo
// network is doing.
import { useState } from 'preact/hooks';
import { Button, ButtonLink, IconButton } from '../../../components/button.tsx';
import { EmptyState, FailureNotice, Notice, Progress, useTry } from '../../../components/feedback.tsx';
import { agentName, isInService, isOfNetwork } from '../../../data/agents.ts';
import { type DemoNetwork, demoNetwork, forgetDemoNetwork, startDemoNetwork } from '../../../data/demo-network.ts';
import type { FleetAgent } from '../../../data/fleet.ts';
import { useOperation } from '../../../data/use-operation.ts';
import { session } from '../../../session/session.ts';
import { overviewText } from '../../../text/pages.ts';
import { RegisterAgentDialog } from '../agents/register-agent-dialog.tsx';

const ended = new Set(['failed', 'expired', 'cancelled']);

export function DemoNotice({ agents }: { agents: readonly FleetAgent[] }) {
  const demo = demoNetwork.value;
  return demo ? <OfDemo {...{ demo, agents }} /> : null;
}

function OfDemo({ demo, agents }: { demo: DemoNetwork; agents: readonly FleetAgent[] }) {
  const run = useOperation(
    'get_emulator_run',
    { path: { job_number: demo.job_number } },
    { pollMs: ({ is_over }) => (is_over ? 60_000 : 1000) },
  );
  const online = agents.filter(
    ({ ap_id, state }) => isOfNetwork(ap_id, demo.job_number) && (isInService(state) || state === 'asleep'),
  ).length;
  const isGone = run.failure?.status === 404 || run.data?.is_over === true;
  if (run.data && ended.has(run.data.state) && online === 0) {
    return (
      <Notice
        kind="failure"
        title="The demo network did not start"
        action={<Button size="small" onClick={forgetDemoNetwork} words="Start again" />}
      >
        {run.data.detail ?? 'Try again, or read the messages of its job.'}
      </Notice>
    );
  }
  if (isGone && online === 0) return null;
  if (online < demo.count && !isGone) {
    const told = Number(run.data?.latest?.agents_online ?? 0);
    const done = Math.max(online, Math.min(demo.count, told));
    return (
      <div class="demo-progress">
        <Progress
          label={run.data?.state === 'running' || done > 0 ? 'Access points coming online' : 'The emulator is starting'}
          done={done}
          total={demo.count}
        />
      </div>
    );
  }
  const name = agentName(demo.ap_id);
  return (
    <Notice
      kind="good"
      title="Your network is live"
      action={
        <div class="cluster">
          <ButtonLink kind="primary" size="small" href={`/agents/${encodeURIComponent(demo.ap_id)}`}>
            {`Open ${name}`}
          </ButtonLink>
          <IconButton icon="close" label="Hide this hint" onClick={forgetDemoNetwork} />
        </div>
      }
    >
      {`${name} has a ring on the map. Open it, watch its charts, and send sleep: its power drops, and its neighbours take over its devices.`}
    </Notice>
  );
}

export function FirstNetwork() {
  const { isBusy, failure, run } = useTry();
  const [isRegistering, setRegistering] = useState(false);
  const isAdmin = session.value?.isAdmin === true;
  const start = () => run(startDemoNetwork);
  return (
    <div class="card first-network">
      {failure && <FailureNotice failure={failure} />}
      {demoNetwork.value ? (
        <DemoNotice agents={[]} />
      ) : (
        <EmptyState
          title="Your network is empty"
          actions={
            <>
              <Button
                kind="primary"
                size="large"
                icon="play"
                isBusy={isBusy}
                onClick={start}
                words="Start 12 access points in Bristol"
              />
              {isAdmin && (
                <Button
                  size="large"
                  icon="plus"
                  onClick={() => setRegistering(true)}
                  words={overviewText.empty.register}
                />
              )}
            </>
          }
        >
          <p>
            Start a demo network to try Weft in one minute: four 5G cells, four WiFi access points and four LiFi lamps,
            with 120 devices that move and use data. It ends automatically after one hour.
          </p>
          {!isAdmin && <p class="faint small">To connect real access points, ask an administrator to register them.</p>}
        </EmptyState>
      )}
      {isRegistering && <RegisterAgentDialog onClose={() => setRegistering(false)} />}
    </div>
  );
}
