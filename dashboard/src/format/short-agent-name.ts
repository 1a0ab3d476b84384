// Names of agents as people read them: emulated ones carry the number of their run, which says little and is long.

const jobNumber = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** `emu-wifi-376d…-5`; names without the number of a run stay as they are. */
export function shortAgentName(ap_id: string): string {
  return ap_id.replace(jobNumber, (number) => `${number.slice(0, 4)}…`);
}
