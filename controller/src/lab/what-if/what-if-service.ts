// What commands would do to a running network: asked of the process that runs it, which lets two copies run ahead.
import { toCommandText } from '@weft/contract/declared-commands';
import type { WhatIfAnswer, WhatIfRequest } from '@weft/contract/lab';
import type { Caller } from '../../core/base/caller.ts';
import type { FairTurns } from '../../core/base/shares/fair-turns.ts';
import type { Shares } from '../../core/base/shares/shares.ts';
import { parseCommand } from '../../core/commands/grammar/command-text.ts';
import { deviceOf } from '../../core/commands/grammar/device-commands.ts';
import type { DeviceAddresses } from '../../core/devices/registry/device-addresses.ts';
import type { EmulatorService } from '../../core/networks/emulator-service.ts';

export interface WhatIfServiceOptions {
  emulator: Pick<EmulatorService, 'ask' | 'requireRunning' | 'requireMembers'>;
  /** Between the names of devices that callers use and those inside of a network. */
  addresses: Pick<DeviceAddresses, 'identityAt' | 'withoutIdentities'>;
  shares: Shares;
}

export class WhatIfService {
  readonly #options: WhatIfServiceOptions;
  readonly #turns: FairTurns;

  constructor(options: WhatIfServiceOptions) {
    this.#options = options;
    this.#turns = options.shares.turns('what_ifs', { slots: 4, perPrincipal: 2 });
  }

  /** Throws NotFoundError `agent_not_found`, ConflictError `run_over` or `run_not_started`, TryLaterError 503. */
  async predict(caller: Caller, request: WhatIfRequest, gone?: AbortSignal): Promise<WhatIfAnswer> {
    const { job_number, commands, minutes = 5, futures = 8, within_seconds } = request;
    const { emulator, addresses } = this.#options;
    await emulator.requireRunning(caller, job_number);
    await emulator.requireMembers(
      job_number,
      commands.map(({ agent_id }) => agent_id),
    );
    const asked = { commands: commands.map((command) => this.#asSent(command)), minutes, futures, within_seconds };
    const answer = await emulator.ask(caller, [job_number, 'what_if', asked, { signal: gone }], this.#turns);
    const { results, ...rest } = answer as Partial<WhatIfAnswer>;
    const named = results?.map((result) => addresses.withoutIdentities(String(result.agent_id), result));
    return { job_number, ...rest, ...(named && { results: named }) } as WhatIfAnswer;
  }

  /** A command about a device as its access point would get it. */
  #asSent({ agent_id, command }: WhatIfRequest['commands'][number]): WhatIfRequest['commands'][number] {
    const { name, args } = parseCommand(command, ['body', 'commands']);
    const device = deviceOf({ name, args });
    const identity = device === undefined ? undefined : this.#options.addresses.identityAt(agent_id, device);
    return { agent_id, command: identity === undefined ? command : toCommandText(name, { ...args, device: identity }) };
  }
}
