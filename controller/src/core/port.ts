// What the core needs from a tenant: an interface beside its user, with a default that does nothing. A port answers a question; what
// has happened is an event.

export class Port<Interface extends object> {
  #owner: Interface;
  #isTaken = false;

  /** @param byDefault answers while no part has taken the port. */
  constructor(byDefault: Interface) {
    this.#owner = byDefault;
  }

  get owner(): Interface {
    return this.#owner;
  }

  /** Called by a part when it is created; a port has one owner. */
  take(owner: Interface): void {
    if (this.#isTaken) throw new Error('another part has this port');
    this.#isTaken = true;
    this.#owner = owner;
  }
}
