// Which commands interrupt the service of an access point, by their names: whoever sends one is asked first.

const names = new Set([
  ...['sleep', 'turn_off', 'power_off', 'off', 'disable', 'shutdown', 'stop', 'reset', 'factory_reset', 'upgrade'],
  ...['reboot', 'restart', 'set_channel', 'set_bandwidth', 'set_channel_width'],
]);

/** A name that begins with `restart_` or `reboot_` restarts a part of it. */
export function interruptsService(name: string): boolean {
  const plain = name.trim().toLowerCase();
  return names.has(plain) || /^(restart|reboot|reset)_/.test(plain);
}
