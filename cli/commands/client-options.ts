import { Option } from 'commander';
import { collectValues } from '../command-spec.ts';

/** Options that several commands about clients share. */
export const clientOptions = {
  name: () => new Option('--name <name>', 'name for people, up to 100 characters'),
  scope: () =>
    new Option('--scope <scope>', 'a scope of the catalogue; may be repeated').argParser(
      collectValues,
    ),
  audience: () =>
    new Option(
      '--audience <uri>',
      'a value that aud may have, the first is the default; may be repeated',
    ).argParser(collectValues),
  tokenLifetime: () => new Option('--token-lifetime <duration>', 'lifetime of a token, e.g. 1h'),
  idempotencyKey: () =>
    new Option(
      '--idempotency-key <key>',
      'two creations with the same key create one; e.g. a UUID',
    ),
};
