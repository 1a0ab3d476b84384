// The client commands, for the `weft` of the server, which includes them.
export { clientCommand, clientCommandNames, clientHelp, clientOverview, runClientCommand } from './client-commands.ts';
export { tellFailure } from './failures.ts';
export { interruptedCode, onInterruption } from './interruption.ts';
export { readNewPassword } from './password-input.ts';
export { endProcess, watchOutputs } from './process-end.ts';
export { ProgressBar } from './progress-bar.ts';
export {
  CommandFailure,
  exitCode,
  hasColor,
  type Output,
  type Surroundings,
  UsageError,
  writeAll,
} from './surroundings.ts';
