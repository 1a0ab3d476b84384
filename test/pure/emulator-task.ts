// A small network to run in tests.
import type { EmulatorTask } from '@weft/contract';
import { modelVersion } from '@weft/contract/emulated-model';

export interface TaskWish {
  /** One access point each. */
  durations: number[];
  types?: string[];
  devicesEach?: number;
  faults?: EmulatorTask['faults'];
  speed?: number;
  /** Milliseconds since 1970. */
  modelStart?: number;
  startedAt?: number;
  password?: string;
  prefix?: string;
}

/** Access points are named emu-wifi-1, emu-wifi-2, and so on, and stand side by side. It is ten o'clock on a Wednesday. */
export function createTask({
  durations,
  types = durations.map(() => 'WiFi'),
  devicesEach = 5,
  faults = [],
  speed = 1,
  modelStart = Date.UTC(2026, 0, 7, 10),
  startedAt = modelStart,
  password = '',
  prefix = 'emu',
}: TaskWish): EmulatorTask {
  return {
    agents: durations.map((duration, index) => ({
      ap_id: `${prefix}-${types[index]!.toLowerCase()}-${index + 1}`,
      password,
      access_point_type: types[index]!,
      location: { latitude: 51.4545, longitude: -2.5879 + index * 0.0003 },
      num_devices: devicesEach,
      duration,
    })),
    num_devices: devicesEach,
    duration: Math.max(...durations),
    seed: 7,
    model: modelVersion,
    speed,
    model_start: new Date(modelStart).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    report_interval_seconds: 1,
    faults,
  };
}
