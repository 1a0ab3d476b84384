// The wire of operations: alarms, incidents, health, energy, settings of access points, notifications.
export * from './alarms.ts';
export * from './desired-config.ts';
export * from './energy.ts';
export * from './health.ts';
export * from './incidents.ts';
export * from './notifications.ts';
export * from './rollouts.ts';
export * from './webhooks.ts';
