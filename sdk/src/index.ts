// The SDK: what a program needs to take part in a network that Weft controls. Agent speaks for an access point, App
// controls the network.

export type { IgnoredField } from '@weft/contract';
export { BackOff } from '@weft/contract/back-off';
export { Agent } from './agent.ts';
export type { AgentOptions, ArgumentDeclaration, ArgumentsOf, CommandDeclaration } from './agent-options.ts';
export { generateAgentSecret, isGeneratedSecret } from './agent-secret.ts';
export * from './app/index.ts';
export { CommandFailed, type CommandHandler, type CommandOutcome, type GivenCommand } from './command-desk.ts';
export { type HttpAnswer, HttpClient } from './http-client.ts';
export { keptFetch } from './kept-connections.ts';
export { App } from './node-app.ts';
export type { AttachedDevice, Sample } from './report.ts';
export { type Settings, SettingsKeeper, type SettingsOptions } from './settings-keeper.ts';
export type { SettingsStorage } from './settings-storage.ts';
export { type SignedRequest, verifyWebhook } from './webhook.ts';
