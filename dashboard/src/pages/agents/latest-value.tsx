// A value of an access point; grey and with its age once it says nothing about now.
import type { ComponentChildren } from 'preact';
import type { AgentPresence } from '../../api/operations.ts';
import type { ShownState } from '../../data/agent-state.ts';
import { isStale } from '../../data/stale-value.ts';
import { LastSeen } from './last-seen.tsx';

interface LatestValueProps {
  /** When it was measured. */
  ts: string;
  state: ShownState;
  details: AgentPresence | undefined;
  children: ComponentChildren;
}

export function LatestValue({ ts, state, details, children }: LatestValueProps) {
  if (!isStale(ts, state, details)) return <>{children}</>;
  return (
    <span class="stale-value">
      {children}{' '}
      <small>
        <LastSeen at={ts} />
      </small>
    </span>
  );
}
