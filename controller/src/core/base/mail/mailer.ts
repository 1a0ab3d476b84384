// Sends mail. Two backends: SMTP, and `.eml` files in the data folder's outbox if no server is set.

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Resolves when the server (or the disk) has accepted the mail; throws otherwise. */
  send(mail: Mail): Promise<void>;
  /** Throws if mail cannot be sent now; the message gives the reason, without secrets. */
  check(): Promise<void>;
}

/** Control characters and line breaks as spaces: what is one text stays one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

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
