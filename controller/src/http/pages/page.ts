// What people and machines fetch that is not an operation: pages, documents, health. No body, no validation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../auth/permissions.ts';

export interface Page {
  operation: Operation;
  url: string;
  handle: (request: FastifyRequest, reply: FastifyReply) => unknown;
}
