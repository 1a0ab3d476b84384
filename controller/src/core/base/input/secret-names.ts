// Which names mean a credential, for everything that keeps or shows what others send: arguments of commands, and reports.

/** Anywhere in a name, without its separators. */
const secretWords = 'password|passwd|passphrase|passcode|pincode|secret|credential|apikey|accesstoken';
/** As the last word of a name, numbers aside. */
const lastWords = 'psk|pwd|tokens?';
/** Words that mean something else as often (`gpio_pin`, `high_pass`): alone, or behind one of these. */
const owners = 'wifi|wlan|wpa|wps|ssid|ap|sim|user|admin|root|login|auth|mqtt|smtp|new|old';
/** What makes a key one that opens something, in a report, where keys of other kinds are as common. */
const keyKinds = `${owners}|api|access|private|shared|encryption|network|wep|ssh|signing|master|session|service|client|aes|rsa`;

const ending = (words: string) => new RegExp(`(?:${words})[_0-9]*$`);
const short = `(?:^|(?:^|_)(?:${owners})_)(?:pass|pin)`;
const contains = new RegExp(secretWords);
const endsWith = ending(`(?:${secretWords})s?`);
/** A key that is public is none. */
const anyKey = ending(`(?:^|_)(?:${lastWords}|(?<!(?:^|_)public_)keys?)|${short}`);
const knownKey = ending(`(?:^|_)(?:${lastWords}|(?:${keyKinds})_keys?)|${short}`);
/** What every such name contains: most names are decided by this alone. */
const hint = /pass|pwd|pin|psk|secret|credential|key|token/i;

/** Whether a value of this name is a credential, or about one. */
export function looksSecret(name: string): boolean {
  return hint.test(name) && spellings(name).some((words) => contains.test(compact(words)) || anyKey.test(words));
}

/** Whether a value of this name is surely a credential itself: `wifi_password` is; `password_policy` and `sort_key` are not. */
export function namesSecret(name: string): boolean {
  return hint.test(name) && spellings(name).some((words) => endsWith.test(compact(words)) || knownKey.test(words));
}

/** In lower case with `_` between words: capitals begin words (`apiKey`), or mean nothing (`PsK`). */
function spellings(name: string): string[] {
  return [name.replace(/([a-z0-9])([A-Z])/g, '$1_$2'), name].map((each) =>
    each.toLowerCase().replace(/[^a-z0-9]+/g, '_'),
  );
}

function compact(words: string): string {
  return words.replaceAll('_', '');
}
