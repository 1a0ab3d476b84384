import { expect, test } from 'vitest';
import { mapBreaches, usesOfLater } from './map-rules.ts';

const architecture = `\`parts.ts\` creates them in this order:

audit → users, third-party apps → auth

A part gets \`deps\`. What it tells later parts goes through \`events\`: \`recorded\` and \`logged\`. Tests start the server.
`;
const parts = `const audit = createAuditPart(a);
  const users = createUsersPart(a);
  const apps = createThirdPartyAppsPart(a);
  const auth = createAuthPart(a);`;
const events = `  return {
    recorded: new Event<[]>(),
    logged: new Event<[]>(),
  };`;

test('lists that are those of the code pass', () => {
  expect(mapBreaches({ architecture, parts, events })).toEqual([]);
});

test.each([
  [{ architecture, parts: `${parts}\n  const x = createSitesPart(a);`, events }, 'parts .* missing: sites'],
  [{ architecture, parts: parts.split('\n').reverse().join('\n'), events }, 'parts .* the order is auth'],
  [{ architecture: architecture.replace('→ auth', '→ auth → health'), parts, events }, 'parts .* unknown: health'],
  [{ architecture, parts, events: `${events}\n    erased: new Event<[]>(),` }, 'events .* missing: erased'],
  [{ architecture: architecture.replace('`logged`', '`told`'), parts, events }, 'missing: logged; unknown: told'],
])('a difference is found (%#)', (texts, problem) => {
  expect(mapBreaches(texts)).toEqual([expect.stringMatching(problem)]);
});

const partOf = (body: string) => ({
  path: 'controller/src/a/a-part.ts',
  text: `export function createAPart() {\n${body}\n}\n`,
});

test('a closure that uses what is created later is found', () => {
  const text = '  const first = new First({ onEnd: () => second.end() });\n  const second = new Second();';
  expect(usesOfLater(partOf(text))).toEqual([expect.stringContaining('uses second before it creates it')]);
});

test('what is created before passes, and so do properties and comments of the same name', () => {
  const text = `  const first = new First({ second: deps.second.x });
  // second.end() comes later.
  const second = new Second();
  first.on(() => second.end());`;
  expect(usesOfLater(partOf(text))).toEqual([]);
});
