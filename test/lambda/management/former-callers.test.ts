import * as v from 'valibot';
import { expect, it } from 'vitest';
import { askedWorld, newClient } from './limited-world.ts';

const text = v.string();

/** How `authctl` of 0.2.0 reads an outcome. It takes what is no error of this shape for a success. */
const formerOutcome = v.union([
  v.object({
    error: v.object({
      class: text,
      text,
      field: v.optional(text),
      label: v.optional(text),
      expected: v.optional(v.union([v.number(), text])),
      current: v.optional(v.union([v.number(), text])),
      service: v.optional(text),
      problem: v.optional(text),
      problems: v.optional(v.array(text)),
    }),
  }),
  v.object({ result: v.optional(v.unknown()) }),
]);

it('authctl of 0.2.0 reads a refusal with several problems, and shows all of them', async () => {
  const { ask } = await askedWorld();
  const client = { ...newClient, name: '', tokenLifetime: '15m' };
  const outcome = await ask('createClient', { client }, 'client-operator');
  const read = v.parse(formerOutcome, outcome);
  expect(read).toMatchObject({ error: { class: 'InputError', field: 'name', label: 'name' } });
  expect('error' in read && read.error.text.split('\n')).toEqual([
    'name: received ""; allowed: 1 to 100 printable characters',
    expect.stringMatching(/^token_lifetime: received "15m"; allowed: \d+ to \d+ seconds$/),
  ]);
});
