// An empty network as an invitation: one button to a whole demo network, and the way to register real access points.
import { useState } from 'preact/hooks';
import { type Failure, toFailure } from '../../api/failure.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/feedback/empty-state.tsx';
import { FailureNotice } from '../../components/feedback/notice.tsx';
import { session } from '../../session/session.ts';
import { overviewText } from '../../text/overview.ts';
import { RegisterAgentDialog } from '../agents/register-agent-dialog.tsx';
import { demoNetwork, startDemoNetwork } from './demo-network.ts';
import { DemoNotice } from './demo-notice.tsx';

export function FirstNetwork() {
  const text = overviewText.empty;
  const [isStarting, setStarting] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  const [isRegistering, setRegistering] = useState(false);
  const isAdmin = session.value?.isAdmin === true;
  const start = async () => {
    setStarting(true);
    setFailure(undefined);
    try {
      await startDemoNetwork();
    } catch (error) {
      setFailure(toFailure(error));
    } finally {
      setStarting(false);
    }
  };
  return (
    <div class="card first-network">
      {failure && <FailureNotice failure={failure} />}
      {demoNetwork.value ? (
        <DemoNotice agents={[]} />
      ) : (
        <EmptyState
          title={text.title}
          actions={
            <>
              <Button kind="primary" size="large" icon="play" isBusy={isStarting} onClick={start}>
                {text.demo}
              </Button>
              {isAdmin && (
                <Button size="large" icon="plus" onClick={() => setRegistering(true)}>
                  {text.register}
                </Button>
              )}
            </>
          }
        >
          <p>{text.words}</p>
          {!isAdmin && <p class="faint small">{text.ask}</p>}
        </EmptyState>
      )}
      {isRegistering && <RegisterAgentDialog onClose={() => setRegistering(false)} />}
    </div>
  );
}
