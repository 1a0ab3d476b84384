// The client commands, for the `weft` of the server, which includes them.

export { clientCommand, clientCommandNames, clientHelp, clientOverview, runClientCommand } from './client-commands.ts';
export { completionCommand } from './commands/completion-command.ts';
export { tellFailure } from './failures.ts';
export { toInterfaceJson } from './json-text.ts';
export { toMoment } from './moments.ts';
export { readNewPassword } from './password-input.ts';
export { endProcess, interruptedCode, onInterruption, watchOutputs } from './process-end.ts';
export { ProgressBar } from './progress-bar.ts';
export {
  CommandFailure,
  exitCode,
  hasColor,
  type Output,
  readColorFlag,
  type Surroundings,
  terminalOf,
  UsageError,
  writeAll,
} from './surroundings.ts';
export { toTable } from './table.ts';
