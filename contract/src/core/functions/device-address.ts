// Whether an address of a device, or a part of one, may stand in a text. Addresses are personal data: neither the controller nor
// the pages take one where a pseudonym belongs.

/** Three pairs of digits are enough: a search by the end of an address is one by the address. */
const hardwareLike =
  /(?:[0-9a-f]{2}[:-]){2}[0-9a-f]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}|(?<![0-9a-z-])[0-9a-f]{12}(?![0-9a-z-])/i;
/** IMSI, IMEI, MSISDN. */
const subscriberLike = /(?<![0-9a-z-])[0-9]{10,19}(?![0-9a-z-])/i;

export function looksLikeAddress(text: string): boolean {
  return hardwareLike.test(text) || subscriberLike.test(text);
}
