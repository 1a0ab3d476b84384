// The wire of the core: everything that crosses it, as plain JSON Schema and as a TypeScript type of the same name. The controller
// validates with these objects and publishes them as the components of its OpenAPI document. Tenants of the core have entries of their own.
export * from './core/agent-channel.ts';
export * from './core/agents.ts';
export * from './core/answers.ts';
export * from './core/audit.ts';
export * from './core/commands.ts';
export * from './core/config-frames.ts';
export * from './core/devices.ts';
export * from './core/emulator/emulator.ts';
export * from './core/emulator/emulator-lease.ts';
export * from './core/events.ts';
export * from './core/fleet.ts';
export * from './core/grants.ts';
export * from './core/jobs.ts';
export * from './core/known-words.ts';
export * from './core/metrics.ts';
export * from './core/retention.ts';
export * from './core/sites.ts';
export * from './core/telemetry.ts';
export * from './core/third-party-apps.ts';
export * from './core/tokens.ts';
export * from './core/users.ts';
