// The form of a bulk action as the interface takes it. Pure.
import type { BulkRequest } from '../../../api/operations.ts';
import { listOf } from '../labels-form.ts';

interface BulkValues {
  kind: string;
  command: string;
  site: string;
  add_tags: string;
  remove_tags: string;
}

export function bulkAction({ kind, command, site, add_tags, remove_tags }: BulkValues): BulkRequest['action'] {
  if (kind === 'remove') return { remove: true };
  if (kind === 'command') return { command: command.trim() };
  const [added, removed] = [listOf(add_tags), listOf(remove_tags)];
  return {
    labels: {
      ...(site.trim() !== '' && { site: site.trim() }),
      ...(added.length > 0 && { add_tags: added }),
      ...(removed.length > 0 && { remove_tags: removed }),
    },
  };
}
