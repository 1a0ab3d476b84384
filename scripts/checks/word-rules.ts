// Words and phrases that users, operators and developers should not have to read, each with plain English to use instead. See
// CONTRIBUTING.md: the field's own words, short sentences, one name for one thing.
import type { SourceFile } from './size-rules.ts';

/** A phrase is found in any case, as whole words, and across line breaks, also those of comments. `(a|b)` are alternatives. */
const plainWords: Record<string, string> = {
  'unless (told|set|given)': 'default: ...',
  'cannot be (followed|used)': 'is invalid',
  '(mend|mends) (itself|themselves)': 'recovers',
  '(get|gets) (his|her|their) way': 'wins',
  'been at the': 'changed the',
  anew: 'again, regenerated',
  'as it stands': 'unchanged',
  'of your own': 'your',
  'not heard of': 'no report yet',
  'in sight': 'visible, with line of sight',
  'took on board': 'onboarded',
  'gave a command to': 'sent a command to',
  'ask for all details': 'request details',
  "everybody(’|')s": 'all users',
  'missed a report': 'late (no report for 2 intervals)',
  'held for': 'lease duration, leased for',
  '(lock duration|lock ends|own lock)': 'lease: one word for what a command holds',
  'a knock': 'an upgrade request',
  'the way in': 'the endpoint, the transport',
  '(ways|way) to the (agents|agent)': 'transports',
  lately: 'recent',
  'the other one': 'the rival',
  '(all parts are|all is) well': 'all systems operational, all checks pass',
  'who is there': 'which are online',
  'nobody knows': 'unknown',
  'what (became|becomes) of': 'the result of',
  'goes on trying': 'retries',
  'with commas between': 'separated by commas',
  'is no (address|name|time|number|file|folder|JSON)': 'is not a valid ...',
  'out of reach': 'unreachable',
  'does not let': 'rejects',
  '(serve|serves) nobody': 'serves no devices',
  'hardly anybody': 'almost no devices',
  'do not look': 'ignore',
  'a site of its own': 'no access points of its own',
  'attached nowhere': 'not attached to any access point',
  'as it came': 'as received, the original',
  '(is|are) no verdict': 'too few to judge',
  '(get|gets) on': 'the health of',
};

interface Rule {
  phrase: RegExp;
  instead: string;
}

const rules: Rule[] = Object.entries(plainWords).map(([phrase, instead]) => ({
  phrase: new RegExp(`(?<![\\w-])${phrase.replaceAll(' ', '[\\s/*]+')}(?![\\w-])`, 'gi'),
  instead,
}));
// One search over a file decides whether the rules are tried one by one.
const anyPhrase = new RegExp(rules.map(({ phrase }) => phrase.source).join('|'), 'i');

/** One line for each phrase that is found, with its position and what to write instead. */
export function findDialect(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const { path, text } = file;
    if (!anyPhrase.test(text)) return [];
    return rules.flatMap(({ phrase, instead }) =>
      [...text.matchAll(phrase)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${path}:${line}: "${found.replaceAll(/[\s/*]+/g, ' ')}": write "${instead}"`;
      }),
    );
  });
}
