// How callers name a device: by its pseudonym. An address in their place would end up in logs, URLs and ledgers, so it is refused
// without being repeated, unless an administrator has allowed clear addresses; then it is turned into the pseudonym here.
import { looksLikeAddress } from '@weft/contract/device-address';
import { ValidationError } from '../../base/errors.ts';
import { type Loc, valueError } from '../../base/input/value-rules.ts';
import { isPseudonym, type Pseudonyms } from './pseudonyms.ts';

/** Made up by the emulator: nobody's. */
const emulatedName = /^emu-[0-9a-f]{1,8}-device-[0-9]{1,6}$/;
const refusal =
  'this is not the name of a device: use the pseudonym (dev-...) that the list of devices shows; addresses are not accepted, because they are personal data';

export interface DeviceNamesOptions {
  pseudonyms: Pseudonyms;
  /** Whether an administrator has allowed clear addresses. */
  areClearAllowed: () => boolean;
  /** The device that this pseudonym was linked to. */
  canonical: (device: string) => string;
}

export class DeviceNames {
  readonly #options: DeviceNamesOptions;

  constructor(options: DeviceNamesOptions) {
    this.#options = options;
  }

  /** The pseudonym of the device that the caller means. Throws ValidationError for an identity that is not allowed. */
  read(text: string, loc: Loc): string {
    const { pseudonyms, areClearAllowed, canonical } = this.#options;
    if (isPseudonym(text)) return canonical(text);
    if (emulatedName.test(text) || areClearAllowed()) return canonical(pseudonyms.of(text));
    throw new ValidationError([valueError(loc, refusal)], 'device_address');
  }

  /** What a search looks for, in lower case: part of a name, or with permission an address. Throws as `read` does. */
  readSearch(text: string, loc: Loc): string {
    if (emulatedName.test(text)) return this.read(text, loc);
    if (!looksLikeAddress(text)) return text.toLowerCase();
    return this.read(text, loc);
  }
}
