// The SDK: what a program needs to take part in a network that Weft controls.
export { Agent, type AgentOptions, type Sample } from './agent.ts';
export { BackOff } from './back-off.ts';
export type { CommandHandler, CommandOutcome, GivenCommand } from './command-desk.ts';
export { type HttpAnswer, HttpClient } from './http-client.ts';
export { WeftRefusal } from './weft-refusal.ts';
