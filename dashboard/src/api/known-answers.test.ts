import { expect, it } from 'vitest';
import { KnownAnswers } from './known-answers.ts';

const tagged = (text: string, etag: string) => new Response(text, { headers: { etag } });
const unchanged = () => new Response(null, { status: 304 });

it('says which answer is known, and gives it again when nothing has changed', async () => {
  const answers = new KnownAnswers();
  expect(answers.etag('/a')).toBeUndefined();
  expect(await (await answers.resolve('/a', tagged('[1]', 'W/"1"'))).text()).toBe('[1]');
  expect(answers.etag('/a')).toBe('W/"1"');
  const again = await answers.resolve('/a', unchanged());
  expect([again.status, await again.text()]).toEqual([200, '[1]']);
  expect(await (await answers.resolve('/a', tagged('[2]', 'W/"2"'))).text()).toBe('[2]');
  expect(await (await answers.resolve('/a', unchanged())).text()).toBe('[2]');
});

it('keeps nothing of answers without a tag and of refusals', async () => {
  const answers = new KnownAnswers();
  const plain = new Response('[1]');
  expect(await answers.resolve('/a', plain)).toBe(plain);
  await answers.resolve('/a', tagged('[1]', '"1"'));
  const refusal = new Response('{}', { status: 403, headers: { etag: '"2"' } });
  expect(await answers.resolve('/a', refusal)).toBe(refusal);
  expect(answers.size).toBe(0);
});

it('is bounded in number and length, and forgets the oldest first', async () => {
  const answers = new KnownAnswers();
  for (let count = 0; count < 200; count++) await answers.resolve(`/${count}`, tagged('x', `"${count}"`));
  expect(answers.size).toBe(50);
  expect(answers.etag('/199')).toBe('"199"');
  await answers.resolve('/long', tagged('x'.repeat(4_000_001), '"long"'));
  expect(answers.size).toBe(0);
  await expect(answers.resolve('/long', unchanged())).rejects.toThrow('not known any more');
});
