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
