// A command as the agent offers it to Weft: what is declared, and what is done.
import type { CommandDeclaration, CommandOutcome } from '@weft/sdk';

export interface CommandOffer {
  declaration: Exclude<CommandDeclaration, string>;
  /** What it throws is told to Weft as the reason why the command failed. */
  run(args: Record<string, unknown>): Promise<CommandOutcome | undefined>;
}
