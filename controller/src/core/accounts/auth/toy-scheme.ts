// A toy: bearers that begin with `toy_`, looked up in a map. It shows what a way to log in costs.
import type { Caller } from '../../base/caller.ts';
import type { CredentialScheme, Shown } from '../../base/credential.ts';
import { invalidToken } from '../../base/errors.ts';

export class ToyScheme implements CredentialScheme {
  readonly form = 'bearer';
  readonly callers = new Map<string, Caller>();

  read(text: string): Shown | undefined {
    if (!text.startsWith('toy_')) return undefined;
    return { scheme: 'toy', admit: () => this.#admit(text), remembered: () => this.callers.get(text) };
  }

  #admit(text: string): Caller {
    const caller = this.callers.get(text);
    if (!caller) throw invalidToken();
    return caller;
  }
}
