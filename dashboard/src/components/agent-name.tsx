// What people call an access point, when it reported last, and its values: grey and with their age once they say nothing about now.
import './agent-name.css';
import type { ComponentChildren } from 'preact';
import type { AgentPresence } from '../api/client.ts';
import { agentName, isStale, type ShownState } from '../data/agents.ts';
import { awaySince, now } from '../data/freshness.ts';
import { useOperation } from '../data/use-operation.ts';
import { formatAge, formatMoment } from '../format.ts';

export function AgentName({ ap_id }: { ap_id: string }) {
  const name = agentName(ap_id);
  return <span title={name === ap_id ? undefined : ap_id}>{name}</span>;
}

export function AgentLink({ ap_id }: { ap_id: string }) {
  return (
    <a href={`/agents/${encodeURIComponent(ap_id)}`}>
      <AgentName ap_id={ap_id} />
    </a>
  );
}

/** Names of one network differ at their end: there is room for as much. */
const endLength = 4;

/** The same for a narrow cell, where it is cut before its end. */
export function NarrowAgentName({ ap_id }: { ap_id: string }) {
  const characters = [...agentName(ap_id)];
  // Behind what was left out already: nothing is cut in two places.
  const end = characters.lastIndexOf('…') + 1 || Math.max(0, characters.length - endLength);
  return (
    <span class="narrow-name" title={ap_id}>
      <span>{characters.slice(0, end).join('')}</span>
      <span>{characters.slice(end).join('')}</span>
    </span>
  );
}

/** `at` as the interface writes moments. */
export function LastSeen({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="faint">never</span>;
  const ms = Date.parse(at);
  if (awaySince.value !== undefined) return <span>{formatMoment(ms)}</span>;
  const seconds = Math.max(0, (now.value - ms) / 1000);
  return <span title={formatMoment(ms)}>{seconds < 2 ? 'just now' : `${formatAge(seconds)} ago`}</span>;
}

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

/** By its name; until that is known by the end of its path, which most are called by. */
export function SiteLink({ path, look = '' }: { path: string; look?: string }) {
  // Many pages know it; of the others it is not what they are opened for.
  const { data } = useOperation('network_health', {}, { pollMs: 10_000, firstAfterMs: 2600 });
  const name = data?.sites.find((site) => site.path === path)?.name ?? path.slice(path.lastIndexOf('/') + 1);
  return (
    <a class={look} href={`/sites/${encodeURIComponent(path)}`}>
      {name}
    </a>
  );
}
