// Mail out of the house. Two backends: SMTP, and `.eml` files in the data folder's outbox where no server is set.

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /** Resolves once the server (or the disk) has taken the mail; throws if it has not. */
  send(mail: Mail): Promise<void>;
  /** Throws if mail cannot go out right now; the message says why, without secrets. */
  check(): Promise<void>;
}
