// The mail library, loaded with the first mail: most runs of Weft never send one, and its many modules take their time.
type MailLibrary = typeof import('nodemailer');

/** A function that resolves what `create` makes, always the same. */
export function lazyTransport<T>(create: (library: MailLibrary) => T): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= import('nodemailer').then(create);
    return made;
  };
}
