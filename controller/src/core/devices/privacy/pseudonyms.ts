// The names of devices. An identity (a hardware address, a subscriber's number) is personal data: as it comes in it becomes a
// keyed pseudonym, the same for the same identity as long as the key is the same, and of no use to guess it without the key.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const pseudonym = /^dev-[a-z2-7]{16}$/;
const partOfPseudonym = /^(?:(?:dev|ev|v)?-)?[a-z2-7]{0,16}$/;
const hardwareAddress =
  /^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$|^[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}$|^[0-9a-f]{12}$/i;
/** All of them in a text: the digits in pairs, in fours, or without anything between them. */
export const hardwareAddresses =
  /(?<![0-9a-z])(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?![0-9a-z])|(?<![0-9a-z.])[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?![0-9a-z.])|(?<![0-9a-z-])[0-9a-f]{12}(?![0-9a-z-])/gi;
/** 80 bits: among 100,000 devices two with the same name are not to be expected in the life of the universe. */
const pseudonymBytes = 10;

export class Pseudonyms {
  /** Prepared once: that takes four times as long as to use it. */
  #key: KeyObject;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /** To be called before the first report. */
  useKey(key: Uint8Array): void {
    this.#key = createSecretKey(key);
  }

  of(identity: string): string {
    const hash = createHmac('sha256', this.#key).update(normalised(identity)).digest();
    let text = 'dev-';
    let bits = 0;
    let value = 0;
    for (let index = 0; index < pseudonymBytes; index++) {
      value = (value << 8) | hash[index]!;
      bits += 8;
      while (bits >= 5) {
        bits -= 5;
        text += alphabet[(value >> bits) & 31];
      }
      value &= (1 << bits) - 1;
    }
    return text;
  }
}

export function isPseudonym(text: string): boolean {
  return pseudonym.test(text);
}

/** Whether a pseudonym can have this text in it. */
export function isPartOfPseudonym(text: string): boolean {
  return partOfPseudonym.test(text);
}

/** One device, however its address is written. */
function normalised(identity: string): string {
  return hardwareAddress.test(identity) ? addressDigits(identity) : identity.normalize('NFC');
}

function addressDigits(identity: string): string {
  return identity.replaceAll(/[:.-]/g, '').toLowerCase();
}

/** Whether it is a hardware address that was made up: it has the bit for addresses that no maker gave out. */
export function isRandomised(identity: string): boolean {
  return hardwareAddress.test(identity) && (Number.parseInt(addressDigits(identity).slice(0, 2), 16) & 2) !== 0;
}
