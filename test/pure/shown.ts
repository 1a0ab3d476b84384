// A way to log in for tests: the text itself says whose it is.
import type { Caller } from '../../controller/src/core/base/caller.ts';
import type { CredentialScheme, Shown } from '../../controller/src/core/base/credential.ts';

export function shownBy(
  caller: Caller,
  { admit = (): Caller | Promise<Caller> => caller, remembered = (): Caller | undefined => caller } = {},
): Shown {
  return { scheme: 'test', admit, remembered };
}

/** The texts that `shown` knows. */
export function schemeOf(
  shown: (text: string) => Shown | undefined,
  form: CredentialScheme['form'] = 'bearer',
): CredentialScheme {
  return { form, read: shown };
}
