// What people and machines fetch that is not an operation: pages, documents, health. No body, no validation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Permission } from '../../rights/permission.ts';

export interface Page {
  operation: string;
  permission: Permission;
  url: string;
  /** Shown by browsers: only for those who accept `text/html` by name. For all others the address does not exist. */
  isDocument?: true;
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}

/** Whether `Accept` names HTML: browsers do, programs that mean the interface do not. */
export function acceptsHtml(accept: string | undefined): boolean {
  return (accept ?? '').split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/html' && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
