// The access points that an action on many is about, each with what would happen or has happened to it.
import type { BulkTarget } from '../../../../api/client.ts';
import { agentName, withAgentName } from '../../../../data/agents.ts';
import { formatNumber } from '../../../../format.ts';
import { componentText } from '../../../../text/components.ts';

export const maxListed = 200;
const states = { would: '', waiting: 'waits', refused: 'refused', stopped: 'stopped' };

interface TargetsProps {
  targets: readonly BulkTarget[];
  /** What would change there, instead of the server's sentence. */
  wordsOf?: (ap_id: string) => string | undefined;
  /** What has happened to those that are done. */
  finished?: string | undefined;
}

export function Targets({ targets, wordsOf, finished }: TargetsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <ul class="labels-preview small" tabIndex={0} aria-label="Access points">
      {targets.slice(0, maxListed).map(({ ap_id, state, detail }) => {
        const words = (state === 'would' && wordsOf?.(ap_id)) || (detail && withAgentName(detail, ap_id));
        return (
          <li key={ap_id} class={state === 'refused' ? 'is-warning' : ''}>
            <strong>{agentName(ap_id)}</strong>{' '}
            {[state === 'done' ? finished : states[state], words].filter(Boolean).join(': ')}
          </li>
        );
      })}
      {targets.length > maxListed && <li>{componentText.more(formatNumber(targets.length - maxListed))}</li>}
    </ul>
  );
}
