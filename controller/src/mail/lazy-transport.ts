// The mail library, loaded with the first mail: most runs of Weft never send one, and its many modules are slow to load.
type MailLibrary = typeof import('nodemailer');

/** A function that creates the transport at the first call and returns the same one later. */
export function lazyTransport<T>(create: (library: MailLibrary) => T): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= import('nodemailer').then(create);
    return made;
  };
}
