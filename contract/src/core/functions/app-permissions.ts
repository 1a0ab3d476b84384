// What the permissions of an app mean together, for everybody who reads them.

interface Given {
  write?: unknown;
  commands?: unknown;
  emulator?: unknown;
  alarms?: unknown;
  callbacks?: unknown;
  config?: unknown;
}

/** `write: false` means no commands, emulated networks, alarms of its own, results for others or other settings; of two keys the narrower one counts. */
export function effectivePermissions<Permissions extends Given>(permissions: Permissions): Permissions {
  const nothing = { commands: false, emulator: false, alarms: false, callbacks: false };
  if (permissions.write !== false) return permissions;
  return { ...permissions, ...nothing, ...(permissions.config !== undefined && { config: 'read' }) };
}
