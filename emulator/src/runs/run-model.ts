// A run belongs to the version of the model that it was begun with: with another one its values would jump, and its saved
// state would be read wrongly.
import { modelVersion } from '../world/world-spec.ts';

/** The run cannot go on here; the message is for its owner. */
export class OtherModel extends RangeError {}

/** `model` is absent in what was stored before there were versions. Throws OtherModel. */
export function requireModel(model = 1): void {
  if (model === modelVersion) return;
  throw new OtherModel(
    `it was created with model ${model} of the emulator, and this version of Weft has model ${modelVersion}; create the network again`,
  );
}
