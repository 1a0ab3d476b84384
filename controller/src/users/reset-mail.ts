// The text of the password recovery mail.
import type { Mail } from '../mail/mailer.ts';

/** The token is in the fragment (`#`), so that it is not in server logs and Referer headers. */
export function resetMail(username: string, token: string, publicUrl: string): Mail {
  const link = `${publicUrl}/reset-password#token=${token}`;
  const lines = [
    `A password reset was requested for ${username} at ${publicUrl}.`,
    'If you requested it, open this link within 60 minutes and choose a new password:',
    link,
    `You can also use the API: POST ${publicUrl}/api/v1/users/reset-password with {"token": "${token}", "new_password": "..."}`,
    'If you did not request it, ignore this message: your password is not changed.',
  ];
  return {
    to: username,
    subject: 'Reset your Weft password',
    text: `${lines.join('\n\n')}\n`,
    html: lines
      .map((line) =>
        line === link ? `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>` : `<p>${escapeHtml(line)}</p>`,
      )
      .join('\n'),
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
