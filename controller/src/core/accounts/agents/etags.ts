// The ETags of agents and of their labels, and what an If-Match says of them. They are strong: the same tag, the same content.
import { hash } from 'node:crypto';
import { PreconditionError } from '../../base/errors.ts';
import type { AgentRecord } from './agent-record.ts';

export function etagOfAgent({ id, configuration, onboard }: AgentRecord): string {
  return etagOf([id, configuration, onboard]);
}

export function etagOfLabels({ id, display_name, site, tags }: AgentRecord): string {
  return etagOf([id, display_name, site, tags]);
}

function etagOf(content: unknown[]): string {
  return `"${hash('sha1', JSON.stringify(content), 'base64url')}"`;
}

/** Throws PreconditionError unless the header names the tag, or is `*` or absent. What says of itself that it is weak names nothing. */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  if (!named.includes(etag)) throw new PreconditionError();
}
