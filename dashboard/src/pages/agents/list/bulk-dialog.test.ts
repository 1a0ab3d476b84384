// Bulk actions as the interface takes them.
import { expect, it } from 'vitest';
import { bulkAction } from './bulk-dialog.tsx';

const values = { kind: 'command', command: ' reboot ', site: '', add_tags: 'a, a,b', remove_tags: '' };

it('is one of a command, labels that change something, and a removal', () => {
  expect(bulkAction(values)).toEqual({ command: 'reboot' });
  expect(bulkAction({ ...values, kind: 'labels' })).toEqual({ labels: { add_tags: ['a', 'b'] } });
  expect(bulkAction({ ...values, kind: 'remove' })).toEqual({ remove: true });
});
