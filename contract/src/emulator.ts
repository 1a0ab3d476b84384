// What is asked of the emulator.
import Type from 'typebox';

export const EmulatorSpec = Type.Object(
  {
    access_point_type: Type.String({ pattern: '^(5G|WiFi|LiFi)$' }),
    num_access_points: Type.Integer({ exclusiveMinimum: 0, maximum: 1000 }),
    locations: Type.Array(Type.String(), { description: 'Coordinates or place names, shared out in turn.' }),
    num_devices: Type.Integer({ exclusiveMinimum: 0, description: 'Per access point.' }),
    duration: Type.Integer({ exclusiveMinimum: 0, description: 'Seconds.' }),
  },
  { title: 'EmulatorSpec' },
);
export type EmulatorSpec = Type.Static<typeof EmulatorSpec>;

export const EmulatorSpinupRequest = Type.Object(
  { emulators: Type.Array(EmulatorSpec) },
  { title: 'EmulatorSpinupRequest' },
);
export type EmulatorSpinupRequest = Type.Static<typeof EmulatorSpinupRequest>;
