// The wire: everything that crosses it, as plain JSON Schema and as a TypeScript type of the same name. The controller
// validates with these objects and publishes them as the components of its OpenAPI document.
export * from './agent-channel.ts';
export * from './agents.ts';
export * from './alarms/alarms.ts';
export * from './alarms/incidents.ts';
export * from './answers.ts';
export * from './audit.ts';
export * from './commands.ts';
export * from './config-frames.ts';
export * from './desired-config.ts';
export * from './devices/devices.ts';
export * from './emulator/emulator.ts';
export * from './emulator/emulator-coverage.ts';
export * from './emulator/emulator-lease.ts';
export * from './emulator/emulator-what-if.ts';

export * from './emulator/energy.ts';
export * from './events.ts';
export * from './fleet.ts';
export * from './grants.ts';
export * from './health.ts';
export * from './jobs.ts';
export * from './known-words.ts';
export * from './metrics.ts';
export * from './notifications.ts';
export * from './retention.ts';
export * from './rollouts.ts';
export * from './sites.ts';
export * from './telemetry.ts';
export * from './third-party-apps.ts';
export * from './tokens.ts';
export * from './users.ts';
export * from './webhooks.ts';
