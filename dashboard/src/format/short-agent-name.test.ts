// What is left of a long name.
import { expect, it } from 'vitest';
import { shortAgentName } from './short-agent-name.ts';

it.each([
  ['emu-wifi-376d54ed-4a59-4758-a020-cbee5477a8c7-5', 'emu-wifi-376d…-5'],
  ['ap-roof-1', 'ap-roof-1'],
  ['376d54ed-not-a-number-of-a-run', '376d54ed-not-a-number-of-a-run'],
])('%s is shown as %s', (ap_id, shown) => {
  expect(shortAgentName(ap_id)).toBe(shown);
});
