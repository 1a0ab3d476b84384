// Asks before a command that interrupts service: who is affected, by name and number; from two on the number is typed.

import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { agentName } from '../../data/agent-names.ts';
import { formatCount } from '../../format/numbers.ts';
import { commandsText } from '../../text/commands.ts';
import './confirm-command.css';

const text = commandsText.confirm;

interface ConfirmCommandProps {
  name: string;
  ap_ids: readonly string[];
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

export function ConfirmCommand({ name, ap_ids, onConfirm, onClose }: ConfirmCommandProps) {
  const count = formatCount(ap_ids.length, 'access point');
  const typed = ap_ids.length > 1 ? { label: text.typeNumber(ap_ids.length), name: String(ap_ids.length) } : undefined;
  return (
    <ConfirmDialog
      title={text.title(name, ap_ids.length === 1 ? agentName(ap_ids[0]!) : count)}
      action={text.action}
      {...(typed && { typed })}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text.interrupts}</p>
      <ul class="confirm-names" aria-label={text.affected}>
        {ap_ids.map((ap_id) => (
          <li key={ap_id} title={ap_id}>
            {agentName(ap_id)}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
