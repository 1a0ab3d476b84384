// What the permissions of an app mean together, for everybody who reads them.

interface Given {
  write?: unknown;
  commands?: unknown;
  emulator?: unknown;
}

/** `write: false` means no commands and no emulated networks; of two keys the narrower one counts. */
export function effectivePermissions<Permissions extends Given>(permissions: Permissions): Permissions {
  return permissions.write === false ? { ...permissions, commands: false, emulator: false } : permissions;
}
