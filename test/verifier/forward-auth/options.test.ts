import { describe, expect, it } from 'vitest';
import { InputError } from '../../../core/errors.ts';
import { type Environment, readOptions, usage } from '../../../verifier/forward-auth/options.ts';

const issuer = 'https://auth.example.com';
const audience = 'https://api.example.com';
const arn = 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server';
const needed = ['--issuer', issuer, '--audience', audience];
const least = [...needed, '--tables', 'authorization-server'];

function problemsOf(args: readonly string[], environment: Environment = {}): string {
  try {
    readOptions(args, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
  throw new Error('the options were accepted');
}

describe('options', () => {
  it('have safe defaults', () => {
    expect(readOptions(least, {})).toEqual({
      issuer,
      audiences: [audience],
      defaultAudience: undefined,
      tables: 'authorization-server',
      cacheSeconds: 0,
      onLookupFailure: undefined,
      tokenMemory: 4,
      accessTokenType: 'at+jwt',
      listen: { host: '127.0.0.1', port: 9100, isBeyondLoopback: false },
      clientAddressHeader: undefined,
      proofs: undefined,
      realm: 'platform',
      resource: undefined,
      resourceScopes: [],
      log: 'refused',
      allowLoopbackProviders: false,
    });
  });

  it('can all be given as arguments', () => {
    const text =
      '--audience https://other.example.com --cache-lookups 5s --token-memory 0 --listen 0.0.0.0:9000 --listen-beyond-loopback ' +
      '--log all --client-address-header X-Real-IP --default-audience x --realm voice --resource https://other.example.com --resource-scopes messaging:view --access-token-type JWT --check-revocation accept';
    const proofs =
      '--dpop-origin https://api.example.com --dpop-origin https://slc.example.com --dpop-required --request-method-header X-Original-Method --request-uri-header X-Original-URI';
    const algorithms = ['--dpop-algorithms', 'ES256 PS256'];
    const args = [...needed, '--tables', arn, ...`${text} ${proofs}`.split(' '), ...algorithms];
    expect(readOptions(args, {})).toEqual({
      issuer,
      audiences: [audience, 'https://other.example.com'],
      defaultAudience: 'x',
      tables: arn,
      cacheSeconds: 5,
      onLookupFailure: 'accept',
      tokenMemory: 0,
      accessTokenType: 'JWT',
      listen: { host: '0.0.0.0', port: 9000, isBeyondLoopback: true },
      clientAddressHeader: 'x-real-ip',
      proofs: {
        origins: ['https://api.example.com', 'https://slc.example.com'],
        required: true,
        algorithms: ['ES256', 'PS256'],
        methodHeader: 'x-original-method',
        uriHeader: 'x-original-uri',
      },
      realm: 'voice',
      resource: 'https://other.example.com',
      resourceScopes: ['messaging:view'],
      log: 'all',
      allowLoopbackProviders: false,
    });
  });

  it('can all be given as variables, and an argument wins', () => {
    const environment = {
      FORWARD_AUTH_ISSUER: issuer,
      FORWARD_AUTH_AUDIENCE: `${audience} https://other.example.com`,
      FORWARD_AUTH_OWN_TOKENS_ONLY: '1',
      FORWARD_AUTH_LISTEN: 'unix:/run/forward-auth.sock',
      FORWARD_AUTH_CLIENT_ADDRESS_HEADER: 'X-Real-IP',
      FORWARD_AUTH_LISTEN_BEYOND_LOOPBACK: '',
      FORWARD_AUTH_CACHE_LOOKUPS: '60',
      FORWARD_AUTH_TOKEN_MEMORY: '64',
      FORWARD_AUTH_DEFAULT_AUDIENCE: 'x',
      FORWARD_AUTH_REALM: 'voice',
      FORWARD_AUTH_RESOURCE: audience,
      FORWARD_AUTH_RESOURCE_SCOPES: 'messaging:view calls:view',
      FORWARD_AUTH_ACCESS_TOKEN_TYPE: 'at+jwt',
      FORWARD_AUTH_LOG: 'none',
      AUTH_ALLOW_LOOPBACK_PROVIDERS: '1',
    };
    expect(readOptions(['--realm', 'sms'], environment)).toEqual({
      issuer,
      audiences: [audience, 'https://other.example.com'],
      defaultAudience: 'x',
      tables: undefined,
      cacheSeconds: 60,
      onLookupFailure: undefined,
      tokenMemory: 64,
      accessTokenType: 'at+jwt',
      listen: { path: '/run/forward-auth.sock', isBeyondLoopback: false },
      proofs: undefined,
      clientAddressHeader: 'x-real-ip',
      realm: 'sms',
      resource: audience,
      resourceScopes: ['messaging:view', 'calls:view'],
      log: 'none',
      allowLoopbackProviders: true,
    });
  });

  it('are all in the usage, and nothing else is', () => {
    const named = [...usage.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => `--${name}`);
    for (const name of named.filter((flag) => flag !== '--help')) {
      expect(() => readOptions([...least, name, ''], {}), name).not.toThrow(/Unknown option/);
    }
    expect(named).toHaveLength(22);
  });

  it.each([
    ['--help', 'help'],
    ['--version', 'version'],
  ] as const)('%s needs no other', (flag, expected) => {
    expect(readOptions([flag], { FORWARD_AUTH_X: '1' })).toBe(expected);
  });

  it('tell every mistake at once', () => {
    expect(problemsOf(['--log', 'some']).split('\n')).toEqual([
      '--issuer (FORWARD_AUTH_ISSUER): received nothing; allowed: the issuer exactly as in the discovery document, "https://auth.example.com"',
      '--audience (FORWARD_AUTH_AUDIENCE): received nothing; allowed: one value of "aud" or more, e.g. "https://api.example.com"',
      expect.stringMatching(
        /^--tables \(FORWARD_AUTH_TABLES\): received nothing; .*or --own-tokens-only$/,
      ),
      '--log (FORWARD_AUTH_LOG): received "some"; allowed: all, refused, none',
    ]);
  });

  it.each<readonly [string, readonly string[], string]>([
    [
      'an issuer that is no URL',
      ['--issuer', 'auth'],
      '--issuer (FORWARD_AUTH_ISSUER): received "auth"; allowed: the issuer exactly as in the discovery document, "https://auth"',
    ],
    [
      'an unknown type of tokens',
      ['--access-token-type', 'jwt'],
      '--access-token-type (FORWARD_AUTH_ACCESS_TOKEN_TYPE): received "jwt"; allowed: at+jwt or JWT',
    ],
    [
      'no choice for failed look-ups',
      ['--check-revocation', 'yes'],
      '--check-revocation (FORWARD_AUTH_CHECK_REVOCATION): received "yes"; allowed: refuse or accept, for tokens whose client cannot be looked up',
    ],
    [
      'look-ups without tables',
      ['--check-revocation', 'refuse', '--own-tokens-only'],
      '--check-revocation (FORWARD_AUTH_CHECK_REVOCATION): received "refuse"; allowed: nothing, because --own-tokens-only reads no tables',
    ],
    [
      'a resource that is not an audience',
      ['--resource', 'https://other.example.com'],
      '--resource (FORWARD_AUTH_RESOURCE): received "https://other.example.com"; allowed: one of the audiences that is an https URL',
    ],
    [
      'an invalid scope',
      ['--resource-scopes', 'a  b'],
      '--resource-scopes (FORWARD_AUTH_RESOURCE_SCOPES): received "a  b"; allowed: scopes, separated by spaces',
    ],
    [
      'an invalid prefix of tables',
      ['--tables', 'a b'],
      '--tables (FORWARD_AUTH_TABLES): received "a b"',
    ],
    [
      'tables that are not to be read',
      ['--own-tokens-only'],
      'allowed: nothing, because --own-tokens-only',
    ],
    [
      'every address without saying so',
      ['--listen', '0.0.0.0:9100'],
      'or --listen-beyond-loopback',
    ],
    ['an address of the machine', ['--listen', '10.0.0.1:9100'], 'or --listen-beyond-loopback'],
    ['every address of IPv6', ['--listen', '[::]:9100'], 'or --listen-beyond-loopback'],
    ['a mapped address', ['--listen', '[::ffff:10.0.0.1]:9100'], 'or --listen-beyond-loopback'],
    ['only a port', ['--listen', '9100'], '--listen (FORWARD_AUTH_LISTEN): received "9100"'],
    ['a host name', ['--listen', 'example.com:9100'], 'received "example.com:9100"'],
    ['a port that is too high', ['--listen', '127.0.0.1:65536'], 'received "127.0.0.1:65536"'],
    ['a cache of more than a minute', ['--cache-lookups', '61'], 'received "61"; allowed: 0 to 60'],
    ['more tokens than allowed', ['--token-memory', '65'], 'received "65"; allowed: 0 to 64'],
    ['a memory in other units', ['--token-memory', '4k'], 'received "4k"; allowed: 0 to 64'],
    ['a cache of minutes', ['--cache-lookups', '5m'], 'received "5m"; allowed: 0 to 60'],
    ['a header that is no name', ['--client-address-header', 'X Real'], 'received "x real"'],
    [
      'a header of credentials',
      ['--client-address-header', 'Authorization'],
      'received "authorization"',
    ],
    ['an unknown option', ['--isuer', 'x'], "Unknown option '--isuer'; forward-auth --help"],
    [
      'an origin with a path',
      ['--dpop-origin', 'https://api.example.com/', '--request-method-header', 'a'],
      '--dpop-origin (FORWARD_AUTH_DPOP_ORIGIN): received "https://api.example.com/"; allowed: an origin of your API',
    ],
    [
      'an origin without a header of the method',
      ['--dpop-origin', audience, '--request-uri-header', 'X-Original-URI'],
      '--request-method-header (FORWARD_AUTH_REQUEST_METHOD_HEADER): received nothing; allowed: the name of the header',
    ],
    [
      'an origin without a header of the target',
      ['--dpop-origin', audience, '--request-method-header', 'X-Original-Method'],
      '--request-uri-header (FORWARD_AUTH_REQUEST_URI_HEADER): received nothing',
    ],
    [
      'headers without an origin',
      ['--request-uri-header', 'X-Original-URI'],
      '--dpop-origin (FORWARD_AUTH_DPOP_ORIGIN): received nothing',
    ],
    ['required proofs without an origin', ['--dpop-required'], '--dpop-origin'],
    [
      'an algorithm that no one may use',
      [
        '--dpop-origin',
        audience,
        '--request-method-header',
        'a',
        '--request-uri-header',
        'b',
        '--dpop-algorithms',
        'ES256 none',
      ],
      '--dpop-algorithms (FORWARD_AUTH_DPOP_ALGORITHMS): received "ES256 none"; allowed: one or more of ES256',
    ],
    ['a word without an option', ['start'], "Unexpected argument 'start'"],
  ])('refuse %s', (_, args, message) => {
    expect(problemsOf([...least, ...args])).toContain(message);
  });

  it('refuse a variable that is misspelt', () => {
    expect(problemsOf(least, { FORWARD_AUTH_TABLE: 'x' })).toMatch(
      /^FORWARD_AUTH_TABLE: unknown variable; allowed: FORWARD_AUTH_ISSUER, /,
    );
  });

  it('ignore what the kubelet says of a Service of this name, and nothing like it', () => {
    const links = {
      FORWARD_AUTH_SERVICE_HOST: '10.0.0.1',
      FORWARD_AUTH_SERVICE_PORT: '9100',
      FORWARD_AUTH_SERVICE_PORT_HTTP_CHECK: '9100',
      FORWARD_AUTH_PORT: 'tcp://10.0.0.1:9100',
      ...Object.fromEntries(
        ['', '_PROTO', '_PORT', '_ADDR'].map((end) => [`FORWARD_AUTH_PORT_9100_SCTP${end}`, 'x']),
      ),
    };
    expect(readOptions(least, links)).toMatchObject({ cacheSeconds: 0 });
    for (const misspelt of [
      { FORWARD_AUTH_PORT: '9100' },
      { FORWARD_AUTH_LISTEN_PORT: '9100' },
      { FORWARD_AUTH_PORT_9100_HTTP: 'x' },
      { FORWARD_AUTH_SERVICE_HOSTS: 'x' },
    ])
      expect(problemsOf(needed, misspelt)).toContain(': unknown variable; allowed: ');
  });

  it('refuse a switch that is neither on nor off', () => {
    expect(problemsOf(needed, { FORWARD_AUTH_OWN_TOKENS_ONLY: 'yes' })).toContain(
      '--own-tokens-only (FORWARD_AUTH_OWN_TOKENS_ONLY): received "yes"; allowed: 1, or nothing',
    );
  });
});
