// Rows of the permissions table that several operations share; permissions.ts is the table.

export const everyone = { admin: 'yes', user: 'yes', agent: 'yes', third_party_app: 'yes', openTo: 'anyone' } as const;
export const adminsOnly = { admin: 'yes', user: 'no', agent: 'no', third_party_app: 'no' } as const;
/** Also auditors, who read everything. */
export const adminsAndAuditors = { ...adminsOnly, grant: 'auditor' } as const;
/** Managers in what they manage, which the service checks. */
export const adminsAndManagers = { ...adminsOnly, grant: 'manager' } as const;
export const metricsReaders = {
  admin: 'yes',
  user: 'yes',
  agent: 'itself',
  third_party_app: 'within_permissions',
  right: 'read',
} as const;
/** Reads the agents it may read: an agent itself, an app those that match its patterns. */
export const fleetReaders = {
  admin: 'yes',
  user: 'yes',
  agent: 'own',
  third_party_app: 'within_permissions',
  right: 'read',
} as const;
export const callbacks = {
  admin: 'yes',
  user: 'own',
  agent: 'no',
  third_party_app: 'own',
  openTo: 'callback_token',
} as const;

export const jobReaders = { admin: 'yes', user: 'own', agent: 'own', third_party_app: 'own' } as const;
export const commandOwners = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'own' } as const;
export const emulatorOwners = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'own' } as const;
/** `own`: those of access points that the user may see, or with grants operate. */
export const alarmHandlers = {
  admin: 'yes',
  user: 'own',
  agent: 'no',
  third_party_app: 'no',
  grant: 'operator',
} as const;
/** `own`: devices of access points that the caller may see. */
export const deviceWatchers = {
  admin: 'yes',
  user: 'own',
  agent: 'no',
  third_party_app: 'within_permissions',
  right: 'read',
} as const;
/** What an access point does in its own name. */
export const agentItself = { admin: 'no', user: 'no', agent: 'itself', third_party_app: 'no' } as const;
