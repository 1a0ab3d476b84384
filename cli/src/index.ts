// For the `weft` of the server: the client commands, which it includes, and what all commands are made of.

export { clientCommands } from './client-commands.ts';
export { type CommandLine, type CommandOption, jsonOption, wrap } from './command.ts';
export { toInterfaceJson } from './json-text.ts';
export { toMoment } from './moments.ts';
export { readNewPassword } from './password-input.ts';
export { interruptedCode } from './process-end.ts';
export { ProgressBar } from './progress-bar.ts';
export { helpOn, runProcess, runWeft, type Weft } from './run-weft.ts';
export { CommandFailure, exitCode, hasColor, type Surroundings, UsageError, writeAll } from './surroundings.ts';
export { toTable } from './table.ts';
