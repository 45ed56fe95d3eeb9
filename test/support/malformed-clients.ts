/** An item of a client that can be read. */
export const storedClient = {
  client_id: 'client_0000000000000000000bad',
  schema_version: 1,
  name: 'billing',
  service_trunk_group: 'tg-1',
  audiences: [],
  token_lifetime: 3600,
  scopes: ['messaging:view'],
  secrets: { secret_a: { hash: 'sha256$SECRETHASH', created_at: 1 } },
  version: 1,
  created_at: 1,
  updated_at: 1,
};

/** What makes it malformed, and where the error says that it is. */
export const malformedClients: readonly [string, object, string][] = [
  ...Object.keys(storedClient)
    .slice(1)
    .map((name): [string, object, string] => [
      `without ${name}`,
      { [name]: undefined },
      `${name}: expected "${name}"`,
    ]),
  ['with text for a time', { created_at: 'now' }, 'created_at: expected number'],
  ['with what an earlier release wrote', { enabled: true }, 'enabled: expected no such attribute'],
  ['with stops and none of them', { stops: {} }, 'stops: expected one stop or more'],
  ['with a stop of no one', { stops: { person: { at: 1 } } }, 'stops.person.by: expected "by"'],
  [
    'with another kind of stop',
    { stops: { nobody: { at: 1, by: 'x' } } },
    'stops.nobody: expected no such attribute',
  ],
  [
    'with a misspelt attribute of a secret',
    { secrets: { secret_a: { hash: 'sha256$SECRETHASH', created_at: 1, expires: 1 } } },
    'secrets.secret_a.expires: expected no such attribute',
  ],
  [
    'with a secret without a hash',
    { secrets: { secret_a: { created_at: 1 } } },
    'secrets.secret_a: expected a hash, or a key',
  ],
  [
    'with a secret that is also a key',
    { secrets: { secret_a: { hash: 'h', public_key: 'x', alg: 'ES256', created_at: 1 } } },
    'secrets.secret_a: expected a hash, or a key',
  ],
  [
    'with a secret that is text',
    { secrets: { secret_a: 'sha256$SECRETHASH' } },
    'secrets.secret_a: expected Object',
  ],
  [
    'with a list of secrets',
    { secrets: [{ hash: 'sha256$SECRETHASH', created_at: 1 }] },
    'secrets: expected a map',
  ],
  ['with a scope that is no scope', { scopes: ['a b'] }, 'scopes.0: expected a scope token'],
  [
    'with too many scopes',
    { scopes: Array.from({ length: 51 }, (_, i) => `s${i}`) },
    'scopes: expected <=50',
  ],
  ['with a fraction of a second', { token_lifetime: 0.5 }, 'token_lifetime: expected'],
  ['with a negative lifetime', { token_lifetime: -1 }, 'token_lifetime: expected'],
  [
    'with a lifetime beyond the bound',
    { token_lifetime: 86_401 },
    'token_lifetime: expected <=86400',
  ],
  ['that is oversize', { name: 'n'.repeat(1_000) }, 'name: expected <=128'],
  [
    'with more secrets than are allowed',
    {
      secrets: Object.fromEntries(
        Array.from({ length: 101 }, (_, i) => [`s${i}`, { hash: 'h', created_at: 1 }]),
      ),
    },
    'secrets: expected <=100',
  ],
  [
    'under a provider but with secrets',
    {
      provider: {
        issuer: 'https://idp.example.com',
        registration_id: 'idp_1',
        external_client_id: 'x',
      },
    },
    'the item: expected no secrets under a provider',
  ],
];
