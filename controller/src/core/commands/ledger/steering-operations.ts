// How commands that move a device end: whatever the access point says, only the target's own report makes it a success.
import { outcomeOfAnswer, type SteeringOutcome } from '../grammar/device-commands.ts';
import type { Operation } from './command-ledger.ts';
import type { CommandRecord } from './command-record.ts';
import type { CommandStateMachine } from './command-state-machine.ts';
import type { LedgerBatch } from './ledger-batch.ts';

export class SteeringOperations {
  readonly #life: CommandStateMachine;

  constructor(life: CommandStateMachine) {
    this.#life = life;
  }

  /** The access point has done its part. */
  answered(
    batch: LedgerBatch,
    command: CommandRecord,
    { state, result }: { state: 'succeeded' | 'failed'; result: string | null },
  ): void {
    this.#life.awaits(batch, command, result);
    const outcome = outcomeOfAnswer(state, result === null ? null : JSON.parse(result));
    if (outcome !== undefined) this.#life.steered(batch, command, outcome);
  }

  /** It ends by what the network saw; one that has ended stays as it is. */
  concluded(command_id: string, outcome: SteeringOutcome): Operation<void> {
    return {
      readSet: (reads) => {
        reads.commands.add(command_id);
        reads.statesOf.add(command_id);
      },
      run: async (batch) => {
        const command = await batch.command(command_id);
        if (command?.ended_at === null) this.#life.steered(batch, command, outcome);
      },
    };
  }
}
