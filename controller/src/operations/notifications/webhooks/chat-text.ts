// Texts of people and programs as chats read them: in one line, as the text that they are and nothing else.
import { oneLine } from '../../../core/base/mail/mailer.ts';

/** Nothing is seen between the characters; what would begin a mention, a picture of a word or an address is none then. */
const joint = '\u200b';

/** Slack's three special characters; its other marks are turned off beside the text (`mrkdwn`). */
export function slackText(text: string): string {
  return oneLine(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** For Mattermost and others that read Markdown, in texts and in fields. */
export function markdownText(text: string): string {
  return slackText(text)
    .trim()
    .replaceAll(/[\\`*{}[\]()#+\-.!_~|]/g, '\\$&')
    .replaceAll(/[@:](?=\S)/g, `$&${joint}`);
}

/** For a run of text of an adaptive card, which has no Markdown, but knows {{DATE(…)}} and {{TIME(…)}}. */
export function cardText(text: string): string {
  return oneLine(text).replaceAll(/\{(?=\{)/g, `{${joint}`);
}
