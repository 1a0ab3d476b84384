// The SDK: what a program needs to take part in a network that Weft controls. Agent speaks for an access point, App
// controls the network.

export type { IgnoredField } from '@weft/contract';
export { BackOff } from '@weft/contract/back-off';
export { Agent } from './core/agent.ts';
export type { AgentOptions, ArgumentDeclaration, ArgumentsOf, CommandDeclaration } from './core/agent-options.ts';
export { generateAgentSecret, isGeneratedSecret } from './core/agent-secret.ts';
export { CommandFailed, type CommandHandler, type CommandOutcome, type GivenCommand } from './core/command-desk.ts';
export { type HttpAnswer, HttpClient } from './core/http-client.ts';
export { keptFetch } from './core/kept-connections.ts';
export type { AttachedDevice, Sample } from './core/report.ts';
export { type Settings, SettingsKeeper, type SettingsOptions } from './core/settings-keeper.ts';
export type { SettingsStorage } from './core/settings-storage.ts';
export * from './for-programs.ts';
export { App } from './node-app.ts';
export { type SignedRequest, verifyWebhook } from './operations/webhook.ts';
