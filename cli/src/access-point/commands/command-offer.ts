// A command that the agent offers: its declaration and its handler.
import type { CommandDeclaration, CommandOutcome } from '@weft/sdk';

export interface CommandOffer {
  declaration: Exclude<CommandDeclaration, string>;
  /** The message of a thrown error is the reason of the failure in Weft. */
  run(args: Record<string, unknown>): Promise<CommandOutcome | undefined>;
}
