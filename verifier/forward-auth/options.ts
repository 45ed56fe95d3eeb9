import { parseArgs } from 'node:util';
import { accessTokenTypes, defaultAccessTokenType } from '../../contract/access-token-type.ts';
import { defaultBearerRealm } from '../../contract/bearer-challenge.ts';
import { maxLookupCacheSeconds, tokenMemoryMegabytes } from '../../contract/bounds.ts';
import { findIssuerProblem } from '../../contract/issuer-form.ts';
import { isOrigin, isProofAlg, proofAlgs } from '../../contract/proof-algorithms.ts';
import { resourceHelp, resourceMetadata } from '../../contract/resource-metadata.ts';
import { lookupFailureChoices, type OnLookupFailure } from '../../contract/revocation-check.ts';
import { isScopeToken } from '../../contract/scopes.ts';
import { parseTableLocation, tableLocationHelp } from '../../contract/table-location.ts';
import { InputError, refuseOption } from '../../core/errors.ts';
import { isLoopbackAddress, parseIpAddress } from '../../core/network/ip-address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const flags = {
  issuer: { type: 'string' },
  audience: { type: 'string', multiple: true },
  tables: { type: 'string' },
  'own-tokens-only': { type: 'boolean' },
  'client-address-header': { type: 'string' },
  'dpop-origin': { type: 'string', multiple: true },
  'dpop-required': { type: 'boolean' },
  'dpop-algorithms': { type: 'string' },
  'request-method-header': { type: 'string' },
  'request-uri-header': { type: 'string' },
  listen: { type: 'string' },
  'listen-beyond-loopback': { type: 'boolean' },
  'check-revocation': { type: 'string' },
  'cache-lookups': { type: 'string' },
  'token-memory': { type: 'string' },
  'default-audience': { type: 'string' },
  'access-token-type': { type: 'string' },
  realm: { type: 'string' },
  resource: { type: 'string' },
  'resource-scopes': { type: 'string' },
  log: { type: 'string' },
} as const;

const actions = { help: { type: 'boolean' }, version: { type: 'boolean' } } as const;

type FlagName = keyof typeof flags;
/** Flags that may be repeated. */
type ListFlag = 'audience' | 'dpop-origin';
type TextFlag = Exclude<FlagName, ListFlag>;
type GivenFlags = ReturnType<typeof readArguments>;

const variablePrefix = 'FORWARD_AUTH_';

function variableOf(flag: string): string {
  return variablePrefix + flag.toUpperCase().replaceAll('-', '_');
}

/** The name of an option in messages, with both ways to set it. */
function label(flag: FlagName): string {
  return `--${flag} (${variableOf(flag)})`;
}

function refuseFlag(flag: FlagName, received: string | undefined, allowed: string): never {
  return refuseOption(label(flag), received, allowed);
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { ...flags, ...actions }, strict: true }).values;
  } catch (error) {
    // Its message names the argument: "Unknown option '--isuer'".
    const [message = ''] = error instanceof Error ? error.message.split('. ') : [];
    throw new InputError(`${message}; forward-auth --help lists the options`, { cause: error });
  }
}

/**
 * The kubelet gives each pod such variables of each Service of its namespace, so also of one that
 * is named forward-auth. No option ends like this.
 */
const serviceLink =
  /_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;

/** `FORWARD_AUTH_PORT=tcp://10.0.0.1:9100`; any other value is a misspelt option. */
function isServiceLink([name, value = '']: readonly [string, string | undefined]): boolean {
  return serviceLink.test(name) || (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):/.test(value));
}

/** Otherwise a misspelt variable would be ignored silently. */
function checkVariables(environment: Environment): void {
  const known = new Set(Object.keys(flags).map(variableOf));
  const unknown = Object.entries(environment)
    .filter(([name]) => name.startsWith(variablePrefix) && !known.has(name))
    .filter((variable) => !isServiceLink(variable))
    .map(([name]) => name);
  if (unknown.length === 0) return;
  throw new InputError(
    `${unknown.join(', ')}: unknown variable; allowed: ${[...known].join(', ')}`,
  );
}

/** Reads options by name, an argument before its variable. Empty means missing. */
function createReader(flags: GivenFlags, environment: Environment) {
  const variable = (flag: FlagName) => environment[variableOf(flag)] || undefined;
  const text = (flag: TextFlag): string | undefined => {
    const value = flags[flag];
    return (typeof value === 'string' ? value : variable(flag)) || undefined;
  };
  return {
    text,
    list: (flag: ListFlag): readonly string[] =>
      (flags[flag] ?? variable(flag)?.split(' ') ?? []).filter((value) => value !== ''),
    isSet: (flag: 'own-tokens-only' | 'listen-beyond-loopback' | 'dpop-required'): boolean => {
      const value = variable(flag);
      if (value !== undefined && value !== '1') refuseFlag(flag, value, '1, or nothing');
      return flags[flag] === true || value === '1';
    },
    /** @param parse returns undefined for a text that is not allowed. */
    parsed: <T>(
      flag: TextFlag,
      allowed: string,
      parse: (text: string) => T | undefined,
    ): T | undefined => {
      const received = text(flag);
      if (received === undefined) return undefined;
      return parse(received) ?? refuseFlag(flag, received, allowed);
    },
  };
}

type Reader = ReturnType<typeof createReader>;

function oneOf<T extends string>(choices: readonly T[]) {
  return (text: string): T | undefined => choices.find((choice) => choice === text);
}

/** Words, separated by spaces. */
function wordsOf<T extends string>(isWord: (text: string) => text is T) {
  return (text: string): readonly T[] | undefined => {
    const words = text.split(' ');
    return words.every(isWord) ? words : undefined;
  };
}

function numberUpTo(most: number, pattern: RegExp) {
  return (text: string): number | undefined => {
    const value = pattern.test(text) ? Number.parseInt(text, 10) : Number.NaN;
    return value <= most ? value : undefined;
  };
}

function readIssuer({ text }: Reader): string {
  const issuer = text('issuer') ?? '';
  const allowed = findIssuerProblem(issuer);
  return allowed === undefined ? issuer : refuseFlag('issuer', text('issuer'), allowed);
}

function readAudiences({ list }: Reader): readonly [string, ...string[]] {
  const [first, ...others] = list('audience');
  const allowed = 'one value of "aud" or more, e.g. "https://api.example.com"';
  return first === undefined ? refuseFlag('audience', undefined, allowed) : [first, ...others];
}

const nothingToRead = 'nothing, because --own-tokens-only reads no tables';

function readTables({ text, isSet }: Reader): string | undefined {
  const tables = text('tables');
  if (isSet('own-tokens-only')) {
    return tables === undefined ? undefined : refuseFlag('tables', tables, nothingToRead);
  }
  if (tables === undefined || parseTableLocation(tables) === undefined) {
    return refuseFlag('tables', tables, `${tableLocationHelp}; or --own-tokens-only`);
  }
  return tables;
}

function readRevocationCheck({ text, isSet, parsed }: Reader): OnLookupFailure | undefined {
  const flag = 'check-revocation';
  const choice = text(flag);
  if (choice !== undefined && isSet('own-tokens-only'))
    return refuseFlag(flag, choice, nothingToRead);
  const allowed = `${lookupFailureChoices.join(' or ')}, for tokens whose client cannot be looked up`;
  return parsed(flag, allowed, oneOf(lookupFailureChoices));
}

/** RFC 9110 §5.1, except names that no proxy uses for an address. */
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const otherHeaders: ReadonlySet<string> = new Set(['authorization', 'host', 'cookie', 'forwarded']);

/** The name of a header in lower case, as a message shows it too. */
function readHeaderName({ text }: Reader, flag: TextFlag, allowed: string): string | undefined {
  const name = text(flag)?.toLowerCase();
  if (name === undefined || (headerName.test(name) && !otherHeaders.has(name))) return name;
  return refuseFlag(flag, name, allowed);
}

const originHelp = 'an origin of your API, e.g. "https://api.example.com"';

/** A proof is checked against what the proxy says, so it must say all of it. */
function readProofs(reader: Reader) {
  const origins = reader.list('dpop-origin');
  const required = reader.isSet('dpop-required');
  const read = (flag: 'request-method-header' | 'request-uri-header', example: string) => {
    const allowed = `the name of a header that the proxy always sets, e.g. "${example}"`;
    return readHeaderName(reader, flag, allowed);
  };
  const methodHeader = read('request-method-header', 'X-Original-Method');
  const uriHeader = read('request-uri-header', 'X-Original-URI');
  const isAny = required || methodHeader !== undefined || uriHeader !== undefined;
  if (origins.length === 0) {
    if (!isAny) return undefined;
    return refuseFlag('dpop-origin', undefined, originHelp);
  }
  const wrong = origins.find((one) => !isOrigin(one));
  if (wrong !== undefined) return refuseFlag('dpop-origin', wrong, originHelp);
  const needed = 'the name of the header in which the proxy says it, because --dpop-origin is set';
  const algorithms = `one or more of ${proofAlgs.join(', ')}, separated by spaces`;
  return {
    origins,
    required,
    algorithms: reader.parsed('dpop-algorithms', algorithms, wordsOf(isProofAlg)) ?? proofAlgs,
    /** Headers in which the proxy says what was asked, in lower case. */
    methodHeader: methodHeader ?? refuseFlag('request-method-header', undefined, needed),
    uriHeader: uriHeader ?? refuseFlag('request-uri-header', undefined, needed),
  };
}

/** How proofs of a proxy's requests are checked. */
export type ForwardAuthProofs = NonNullable<ReturnType<typeof readProofs>>;

function readAddressHeader(reader: Reader): string | undefined {
  const allowed = 'the name of a header that holds one address, e.g. "X-Real-IP"';
  return readHeaderName(reader, 'client-address-header', allowed);
}

function readResource({ parsed, list }: Reader): string | undefined {
  return parsed('resource', resourceHelp, (text) =>
    resourceMetadata(text, '', list('audience')) === undefined ? undefined : text,
  );
}

const logChoices = ['all', 'refused', 'none'] as const;

export type LoggedRequests = (typeof logChoices)[number];

function readListen({ text, isSet }: Reader): ListenTarget {
  const address = text('listen') ?? '127.0.0.1:9100';
  const target = parseListenTarget(address);
  if (target === undefined) {
    const allowed = '"127.0.0.1:9100", "[::1]:9100", "unix:/path" or another address and port';
    return refuseFlag('listen', address, allowed);
  }
  if (target.isBeyondLoopback && !isSet('listen-beyond-loopback')) {
    const reason = 'anyone who reaches the check can ask it about any credential';
    return refuseFlag(
      'listen',
      address,
      `a loopback address, or --listen-beyond-loopback (${reason})`,
    );
  }
  return target;
}

const cacheHelp = `0 to ${maxLookupCacheSeconds} seconds, e.g. "5" or "5s"`;
const memoryHelp = `0 to ${tokenMemoryMegabytes.max} megabytes, e.g. "4"`;
const scopesHelp = 'scopes, separated by spaces, e.g. "messaging:view"';

/** Reads every option before it refuses, so all mistakes are reported at once. */
function readAll(reader: Reader, environment: Environment) {
  const problems: string[] = [];
  function attempt<T>(read: (reader: Reader) => T): T {
    try {
      return read(reader);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(error.message);
      return undefined as never;
    }
  }
  const parsed: Reader['parsed'] = (...option) => attempt((all) => all.parsed(...option));
  const readSeconds = numberUpTo(maxLookupCacheSeconds, /^\d{1,2}s?$/);
  const readMegabytes = numberUpTo(tokenMemoryMegabytes.max, /^\d{1,2}$/);
  const readScopes = wordsOf((text): text is string => isScopeToken(text));
  const options = {
    issuer: attempt(readIssuer),
    audiences: attempt(readAudiences),
    defaultAudience: reader.text('default-audience'),
    /** Undefined: only the issuer's own tokens are accepted. */
    tables: attempt(readTables),
    cacheSeconds: parsed('cache-lookups', cacheHelp, readSeconds) ?? 0,
    /** Undefined: the clients of the issuer's own tokens are not looked up. */
    onLookupFailure: attempt(readRevocationCheck),
    /** Megabytes of tokens whose signature is not verified again. */
    tokenMemory: parsed('token-memory', memoryHelp, readMegabytes) ?? tokenMemoryMegabytes.default,
    listen: attempt(readListen),
    /** In lower case. */
    clientAddressHeader: attempt(readAddressHeader),
    /** Undefined: no proofs are checked, and tokens that are bound to a key are refused. */
    proofs: attempt(readProofs),
    accessTokenType:
      parsed('access-token-type', accessTokenTypes.join(' or '), oneOf(accessTokenTypes)) ??
      defaultAccessTokenType,
    realm: reader.text('realm') ?? defaultBearerRealm,
    /** URL of the API, whose metadata is then served (RFC 9728). */
    resource: attempt(readResource),
    /** Scopes that its metadata names. */
    resourceScopes: parsed('resource-scopes', scopesHelp, readScopes) ?? [],
    log: parsed('log', logChoices.join(', '), oneOf(logChoices)) ?? 'refused',
    /** For the local run and tests only. The whole project uses this name. */
    allowLoopbackProviders: environment['AUTH_ALLOW_LOOPBACK_PROVIDERS'] === '1',
  };
  if (problems.length > 0) throw new InputError(problems.join('\n'));
  return options;
}

/** The options of the process, checked as far as possible without a network. */
export type ForwardAuthOptions = Readonly<ReturnType<typeof readAll>>;

/**
 * Reads the options of the process.
 *
 * @returns `help` or `version` if that was requested.
 * @throws {InputError} if options cannot be used, with a line for each: its name, its value and
 * what is allowed.
 */
export function readOptions(
  args: readonly string[],
  environment: Environment,
): ForwardAuthOptions | 'help' | 'version' {
  const flags = readArguments(args);
  if (flags.help === true) return 'help';
  if (flags.version === true) return 'version';
  checkVariables(environment);
  return readAll(createReader(flags, environment), environment);
}

export const usage = `Usage: forward-auth --issuer URL --audience TEXT (--tables NAME | --own-tokens-only) [options]

Tells a proxy whether a request's bearer credential is accepted: an access token of the
authorization server, a token of a registered identity provider, or an API key. The proxy asks
/verify/SCOPE[,SCOPE…], or /verify/- if any accepted credential will do.

  --issuer URL                    the authorization server, as in its discovery document
  --audience TEXT                 a value of "aud" by which your API knows itself; repeatable
  --tables NAME                   the beginning of the authorization server's table names, or of
                                  their ARNs if they are in another account or region
  --own-tokens-only               accept only tokens of the issuer; no AWS access
  --client-address-header NAME    header in which the proxy sends the client's address, once;
                                  without it, API keys with subnets are refused
  --dpop-origin URL               origin of your API as its clients see it; repeatable. DPoP proofs
                                  are then checked; without it, tokens bound to a key are refused
  --dpop-required                 refuse access tokens that are not bound to a key
  --dpop-algorithms TEXT          alg values of proofs, separated by spaces
  --request-method-header NAME    header in which the proxy sends the client's method, once
  --request-uri-header NAME       header in which the proxy sends the client's request target, once
  --listen ADDRESS                127.0.0.1:9100 (default), [::1]:9100 or unix:/path
  --listen-beyond-loopback        allow an address that other machines reach
  --check-revocation refuse|accept
                                  look up the client of each token of the issuer too, and refuse
                                  tokens of disabled or deleted clients and revoked tokens. While
                                  DynamoDB does not answer, such tokens are refused (503) or
                                  accepted, with a line in the log each time.
                                  Default: no look-up; they stay valid until they expire
  --cache-lookups SECONDS         reuse a record for 0 to 60 s; a revocation takes as long.
                                  Default: 0
  --token-memory MEGABYTES        tokens whose signature is verified once: 0 to 64 MB of them.
                                  Each use still checks keys, times, audience and scopes.
                                  Default: 4
  --default-audience TEXT         the deployment's default audience; default: the first --audience
  --access-token-type TYPE        accessTokenType of the deployment: at+jwt (default), or JWT,
                                  which accepts both
  --realm TEXT                    protection space of the challenges; default: platform
  --resource URL                  URL of your API, which must be an --audience. Challenges then name
                                  its metadata (RFC 9728), and the check serves it to everyone:
                                  route /.well-known/oauth-protected-resource… of the API to it.
                                  Default: no metadata
  --resource-scopes TEXT          scopes that the metadata names, separated by spaces
  --log all|refused|none          requests that get a log line; default: refused
  --help, --version

Each option is also an environment variable: FORWARD_AUTH_ISSUER, FORWARD_AUTH_AUDIENCE (separated
by spaces), FORWARD_AUTH_OWN_TOKENS_ONLY=1, and so on. An option wins over its variable.

AWS credentials and region come from the usual places: environment, container role (ECS, EKS Pod
Identity); with the package @aws-sdk/credential-provider-node, profile, IRSA or instance role. The
role needs dynamodb:GetItem on the tables clients, api-keys and identity-providers.
`;

/** The address on which the process listens. */
export type ListenTarget =
  | { readonly path: string; readonly isBeyondLoopback: false }
  | { readonly host: string; readonly port: number; readonly isBeyondLoopback: boolean };

const socketPattern = /^unix:(\/.+)$/;
const addressPattern = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/;

/**
 * Reads `127.0.0.1:9100`, `[::1]:9100`, `localhost:9100` or `unix:/run/forward-auth.sock`. Port 0
 * selects a free port.
 *
 * @returns undefined if the text has none of these forms.
 */
function parseListenTarget(text: string): ListenTarget | undefined {
  const path = socketPattern.exec(text)?.[1];
  if (path !== undefined) return { path, isBeyondLoopback: false };
  const [, bracketed, plain, portText] = addressPattern.exec(text) ?? [];
  const name = bracketed ?? plain;
  const port = Number(portText);
  if (name === undefined || port > 65_535) return undefined;
  const host = name === 'localhost' ? '127.0.0.1' : name;
  const address = parseIpAddress(host);
  if (address === undefined) return undefined;
  return { host, port, isBeyondLoopback: !isLoopbackAddress(address) };
}
