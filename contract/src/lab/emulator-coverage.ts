// The radio map of an emulated network: a raster of what a device would receive at each point.

import { Technology } from '../core/commands.ts';
import * as Type from '../core/schema/schema.ts';
import { WhatIfRequest } from './emulator-what-if.ts';

export const CoverageLayer = Type.Enum(['best_server', 'signal', 'sinr', 'rate'], {
  title: 'CoverageLayer',
  description:
    'best_server: which access point is received best; signal: its mean received power in dBm (5G: per resource element); sinr: signal over interference and noise in dB; rate: what a single device would get of it in Mb/s.',
});
export type CoverageLayer = Type.Static<typeof CoverageLayer>;

const side = (what: string) =>
  Type.Optional.Integer({ minimum: 1, maximum: 256, default: 128, description: `${what} of the raster.` });

const fields = {
  layer: CoverageLayer,
  technology: Technology,
  height: Type.Optional.Number({
    minimum: 0,
    maximum: 50,
    description: 'Metres above the floor. Default: 1.5; LiFi: 0.85, a desk. WiFi is the same at every height.',
  }),
  bounds: Type.Optional.String({
    maxLength: 200,
    description: '`south,west,north,east` in degrees. Default: around the access points of the technology.',
  }),
  columns: side('Columns'),
  rows: side('Rows'),
  encoding: Type.Optional.Enum(['int16', 'array'], {
    default: 'int16',
    description: 'How `values` is written: base64 of 16-bit integers, or an array of numbers and null.',
  }),
};

export const CoverageQuery = Type.Object(fields, { title: 'CoverageQuery' });
export type CoverageQuery = Type.Static<typeof CoverageQuery>;

export const CoverageDifferenceRequest = Type.Named('CoverageDifferenceRequest', {
  ...fields,
  commands: WhatIfRequest.properties.commands,
  after_seconds: Type.Optional.Integer({
    minimum: 1,
    maximum: 600,
    default: 30,
    description: 'How far the two copies of the network run ahead, in model time, so that the commands take effect.',
  }),
});
export type CoverageDifferenceRequest = Type.Static<typeof CoverageDifferenceRequest>;

const NumberOrNull = Type.OrNull(Type.Number());

const raster = {
  scale: Type.Number({ description: 'What an integer of `values` is multiplied with; 1 for an array.' }),
  values: Type.Union([Type.String(), Type.Array(NumberOrNull)], {
    description:
      'Rows from north to south, each from west to east. base64 of signed 16-bit integers, low byte first, -32768 where nothing is heard; or an array with null there.',
  }),
  min: NumberOrNull,
  max: NumberOrNull,
};

export const CoverageRaster = Type.Object(raster, { title: 'CoverageRaster' });
export type CoverageRaster = Type.Static<typeof CoverageRaster>;

export const CoverageBounds = Type.Object(
  { south: Type.Number(), west: Type.Number(), north: Type.Number(), east: Type.Number() },
  { title: 'CoverageBounds' },
);
export type CoverageBounds = Type.Static<typeof CoverageBounds>;

const heading = {
  job_number: Type.String(),
  model: Type.Integer({ description: 'Version of the model.' }),
  model_time: Type.Timestamp,
  second: Type.Integer({ description: 'Model time since the start of the run.' }),
  layer: CoverageLayer,
  technology: Technology,
  unit: Type.String({ description: 'Empty for best_server.' }),
  height: Type.Number({ description: 'Metres.' }),
  bounds: CoverageBounds,
  columns: Type.Integer(),
  rows: Type.Integer(),
  encoding: Type.Enum(['int16', 'array']),
  access_points: Type.Array(Type.String(), {
    description: 'The access points that are best somewhere; values of best_server are positions in this list, from 0.',
  }),
};

export const CoverageAnswer = Type.Object({ ...heading, ...raster }, { title: 'CoverageAnswer' });
export type CoverageAnswer = Type.Static<typeof CoverageAnswer>;

export const CoverageDifference = Type.Object(
  {
    ...heading,
    after_seconds: Type.Integer(),
    results: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'The result of each command, in their order.',
    }),
    with: CoverageRaster,
    without: CoverageRaster,
    difference: CoverageRaster,
  },
  {
    title: 'CoverageDifference',
    description:
      '`difference` is with minus without: null where either is null, except that for rate nothing heard counts as 0; for best_server 1 where another access point is the best, else 0.',
  },
);
export type CoverageDifference = Type.Static<typeof CoverageDifference>;
