// All parts of Weft: the core, and its two tenants. `WEFT_PARTS=core` runs it without them.
import { createCoreParts } from './core/core-parts.ts';
import type { Events } from './core/events.ts';
import type { Platform } from './core/part.ts';
import { createLabPart } from './lab/lab-part.ts';
import { createOperationsParts } from './operations/operations-parts.ts';

/** In the order in which they start. */
export function createParts(platform: Platform, events: Events) {
  const core = createCoreParts(platform, events);
  const lab = createLabPart({ ...platform, emulator: core.emulator, devices: core.devices });
  return { ...core, lab, ...createOperationsParts(platform, core, events) };
}
