// The common alternative: every second cell sleeps from midnight to six, whatever the load.

import type { Cell } from '@weft/sdk';
import type { ControlProgram, Order } from '../fleet/control-program.ts';

const wakesAtHour = 6;

export class NightTimetable implements ControlProgram {
  readonly everySeconds = 60;

  decide(cells: readonly Cell[], nowMs: number): Order[] {
    const isNight = new Date(nowMs).getUTCHours() < wakesAtHour;
    return cells
      .filter(({ isAwake }, index) => isAwake === isNight && (!isNight || index % 2 === 1))
      .map(({ ap_id }) => {
        return {
          ap_id,
          name: isNight ? 'sleep' : 'wake',
          holdSeconds: 60,
          because: `it is ${isNight ? 'night' : 'day'}`,
        };
      });
  }
}
