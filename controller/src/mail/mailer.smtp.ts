// Mail over SMTP.
import { createTransport } from 'nodemailer';
import type { Mailer } from './mailer.ts';

// The library would wait for minutes, longer than a stop may take or a recovery request is held.
const patience = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  const transport = createTransport({ url: smtpUrl, ...patience }, { from });
  return {
    async send(mail) {
      await transport.sendMail(mail);
    },
    async check() {
      await transport.verify();
    },
  };
}
