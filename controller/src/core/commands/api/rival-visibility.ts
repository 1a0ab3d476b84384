// Whom and what a caller may learn about: rivals on access points that it cannot see stay without name and id, in every
// answer about commands, and what such access points said stays out. The texts of decisions name nobody on another access point (arbitration/conflict-resolution.ts).
import type { Command, Conflict, Rival } from '@weft/contract';
import type { Caller } from '../../base/caller.ts';
import type { Network } from '../../network/network.ts';
import { devicePrefix } from '../grammar/device-commands.ts';

const anotherCaller = 'another caller';

interface Answer {
  detail: string;
  rival: Rival | null;
}

export class RivalVisibility {
  readonly #network: Pick<Network, 'visibleTo'>;

  constructor(network: Pick<Network, 'visibleTo'>) {
    this.#network = network;
  }

  async canSee(caller: Caller, ap_id: string): Promise<boolean> {
    return (await this.#network.visibleTo(caller)).sees(ap_id);
  }

  /** The answer as this caller may have it. */
  async of<T extends Answer>(caller: Caller, answer: T): Promise<T> {
    const { rival } = answer;
    // Whoever commands a device may know who else does.
    if (!rival || rival.ap_id.startsWith(devicePrefix) || (await this.canSee(caller, rival.ap_id))) return answer;
    return { ...answer, rival: toHidden(rival), detail: withoutNames(answer.detail, rival) };
  }

  /** A command of the caller; without what an agent said that is out of sight now. */
  async ofCommand(caller: Caller, command: Command): Promise<Command> {
    const shown = await this.of(caller, command);
    if (await this.canSee(caller, command.ap_id)) return shown;
    return { ...shown, result: null, applied: null };
  }

  /** A conflict in which the caller asked or held something; of the other side only what it may see. */
  async ofConflict(caller: Caller, conflict: Conflict): Promise<Conflict> {
    const shown = await this.of(caller, conflict);
    if (await this.canSee(caller, shown.ap_id)) return shown;
    const { ap_id, caller_name } = shown;
    return {
      ...shown,
      command_id: null,
      ap_id: '',
      parameter: '',
      caller_kind: null,
      caller_name: anotherCaller,
      detail: withoutNames(shown.detail, { ap_id, caller_name: caller_name ?? '' }),
    };
  }
}

function toHidden({ until }: Rival): Rival {
  return { command_id: '', caller_kind: '', caller_name: anotherCaller, ap_id: '', parameter: '', until };
}

/** Texts from before decisions left out names are in the database still. */
function withoutNames(detail: string, { ap_id, caller_name }: Pick<Rival, 'ap_id' | 'caller_name'>): string {
  return detail.includes(ap_id) || detail.includes(caller_name) ? 'Decided between this and another caller' : detail;
}
