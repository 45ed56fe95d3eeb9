import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import * as v from 'valibot';
import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { verifierLeeway } from '../../contract/bounds.ts';
import type { RegionId } from '../../contract/regions.ts';
import { openidConfigurationPath } from '../../contract/routes.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import {
  syntheticAuthority,
  syntheticClientId,
  syntheticSecretLifetime,
} from '../../contract/synthetic-check.ts';
import type { Client, ClientSecret, ClientStore } from '../client/client.ts';
import {
  formatClientSecret,
  formatId,
  hashSecret,
  idBytes,
  secretBytes,
} from '../credential/credential-value.ts';
import { ConflictError } from '../errors.ts';
import { servedJwksSchema } from '../jwks/jwks.ts';
import { firstVersion } from '../record-version.ts';
import { type Clock, seconds } from '../time.ts';

interface MintPorts {
  /** Reads must see every write that came before. */
  readonly clients: Pick<ClientStore, 'find' | 'create' | 'replace'>;
  /** Cryptographically random bytes. */
  readonly drawBytes: (length: number) => Uint8Array;
}

interface SyntheticCredentials {
  readonly clientId: string;
  /** The only copy. It is neither stored nor logged. */
  readonly clientSecret: string;
}

/**
 * Secrets that stay next to a new one: those of concurrent runs. The schedule leaves one; an
 * operator who runs the check by hand leaves some more.
 */
const maxOlderSecrets = 9;

/** Two concurrent runs are rare, and of three attempts one succeeds. */
const maxWrites = 3;

/** A secret that a check created and that has not expired. Any other secret does not belong here. */
function isLive({ expiresAt }: ClientSecret, now: number): boolean {
  return expiresAt !== undefined && expiresAt > now && expiresAt <= now + syntheticSecretLifetime;
}

/** The required state of the client, regardless of its present one. Old secrets are removed. */
function buildClient(
  regionId: RegionId,
  before: Pick<Client, 'secrets' | 'version' | 'createdAt'>,
  secret: ClientSecret,
  now: number,
): Client {
  const older = before.secrets.filter((one) => isLive(one, now));
  return {
    clientId: syntheticClientId(regionId),
    name: `Synthetic check of ${regionId}, kept by the service itself`,
    ...syntheticAuthority,
    secrets: [...older.slice(-maxOlderSecrets), secret],
    version: before.version + 1,
    createdAt: before.createdAt,
    updatedAt: now,
  };
}

async function writeClient(
  regionId: RegionId,
  secret: ClientSecret,
  { clients, drawBytes }: MintPorts,
  now: number,
): Promise<void> {
  const found = await clients.find(syntheticClientId(regionId));
  if (found === undefined) {
    const version = firstVersion(drawBytes) - 1;
    const nothing = { secrets: [], version, createdAt: now };
    await clients.create(buildClient(regionId, nothing, secret, now));
    return;
  }
  await clients.replace(buildClient(regionId, found, secret, now));
}

/**
 * Gives the region's synthetic client a new secret, and creates the client if it does not exist.
 *
 * @param now seconds since the epoch.
 * @throws {ConflictError} if another run was faster at each attempt.
 */
export async function mintSecret(
  regionId: RegionId,
  ports: MintPorts,
  now: number,
): Promise<SyntheticCredentials> {
  const clientSecret = formatClientSecret(ports.drawBytes(secretBytes));
  const secret: ClientSecret = {
    secretId: formatId('secret', ports.drawBytes(idBytes)),
    hash: hashSecret(clientSecret),
    name: 'synthetic check',
    createdAt: now,
    expiresAt: now + syntheticSecretLifetime,
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeClient(regionId, secret, ports, now);
      return { clientId: syntheticClientId(regionId), clientSecret };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === maxWrites) throw error;
    }
  }
}

export type SyntheticStep = 'secret' | 'token' | 'jwks' | 'verification' | 'issuer';

/** A failed step of the synthetic check. Its message holds no credential. */
export class SyntheticCheckError extends Error {
  override readonly name = 'SyntheticCheckError';
  readonly step: SyntheticStep;

  constructor(step: SyntheticStep, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.step = step;
  }
}

/**
 * Adds the step to any failure.
 *
 * @throws {SyntheticCheckError} if `run` fails.
 */
async function inStep<T>(step: SyntheticStep, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof SyntheticCheckError) throw cause;
    const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : 'an unknown error';
    throw new SyntheticCheckError(step, why, { cause });
  }
}

export interface SyntheticCheckPorts extends MintPorts, RequestTokenPorts {
  /** The JWKS that the region serves. */
  readonly fetchJwks: () => Promise<unknown>;
  readonly clock: Clock;
}

interface SyntheticCheckSettings {
  readonly issuer: string;
  /** The region whose synthetic client the token is for. */
  readonly regionId: RegionId;
  readonly accessTokenType: AccessTokenType;
}

export interface SyntheticCheckOutcome {
  /** Milliseconds that a client waits for a token. */
  readonly tokenLatency: number;
  /** It expires within a minute and authorises nothing. */
  readonly token: string;
}

/**
 * Acts as a client and as a platform API: gets a token with its own secret and verifies the token
 * with the published keys.
 *
 * @throws {SyntheticCheckError} if a step fails.
 */
export async function runSyntheticCheck(
  ports: SyntheticCheckPorts,
  { issuer, regionId, accessTokenType }: SyntheticCheckSettings,
): Promise<SyntheticCheckOutcome> {
  const now = (): number => seconds(ports.clock());
  const credentials = await inStep('secret', () => mintSecret(regionId, ports, now()));
  let sentAt = ports.clock();
  const timed: RequestTokenPorts = {
    ...ports,
    postTokenRequest: (request) => {
      sentAt = ports.clock();
      return ports.postTokenRequest(request);
    },
  };
  const token = await inStep('token', () => requestToken(credentials, timed));
  const tokenLatency = ports.clock() - sentAt;
  const jwks = await inStep('jwks', ports.fetchJwks);
  await inStep('verification', () =>
    verifyToken(token, jwks, { issuer, regionId, accessTokenType, now: now() }),
  );
  return { tokenLatency, token };
}

interface IssuerCheckPorts {
  /** @throws if no JSON arrives in time. */
  readonly fetchDocument: (url: string) => Promise<unknown>;
}

const metadataSchema = v.looseObject({ issuer: v.string(), jwks_uri: v.string() });

async function getKeys(issuer: string, { fetchDocument }: IssuerCheckPorts): Promise<unknown> {
  const metadata = await fetchDocument(`${issuer}${openidConfigurationPath}`);
  if (!v.is(metadataSchema, metadata) || metadata.issuer !== issuer) {
    throw new SyntheticCheckError('issuer', 'the discovery document is not of the issuer');
  }
  const jwks = await fetchDocument(metadata.jwks_uri);
  if (v.is(servedJwksSchema, jwks)) return jwks;
  throw new SyntheticCheckError('issuer', 'the JWKS of the issuer is not a key set');
}

/**
 * Acts as a verifier that knows only the issuer: finds its keys by discovery (RFC 8414 §3), and
 * verifies a token of this region with them. The name of the issuer can lead to another region.
 *
 * @param token left out if the region issued none.
 * @param now seconds since the epoch.
 * @throws {SyntheticCheckError} with the step `issuer`.
 */
export async function verifyByDiscovery(
  token: string | undefined,
  ports: IssuerCheckPorts,
  settings: SyntheticCheckSettings,
  now: number,
): Promise<void> {
  await inStep('issuer', async () => {
    const jwks = await getKeys(settings.issuer, ports);
    if (token === undefined) return;
    await verifyToken(token, jwks, { ...settings, now }).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : 'unknown error';
      throw new SyntheticCheckError('issuer', `with the keys of the issuer, ${why}`, { cause });
    });
  });
}

/** Any answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface RequestTokenPorts {
  /** @throws if no JSON arrives in time. */
  readonly postTokenRequest: (credentials: SyntheticCredentials) => Promise<TokenAnswer>;
  /** Resolves after this many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * The token path reads with eventual consistency, so a new secret may not be accepted at once.
 * DynamoDB needs well under a second in one region. Five seconds are a fault.
 */
const maxAttempts = 6;
const retryDelay = 1000;

const tokenSchema = v.looseObject({
  access_token: v.string(),
  token_type: v.literal('Bearer'),
  expires_in: v.pipe(v.number(), v.minValue(1), v.maxValue(syntheticAuthority.tokenLifetime)),
  scope: v.literal(syntheticAuthority.scopes.join(' ')),
});

/** A code of the protocol. Any other text is not logged. */
const errorSchema = v.looseObject({ error: v.pipe(v.string(), v.regex(/^[a-z_]{1,40}$/)) });

function describeRefusal({ status, body }: TokenAnswer): string {
  const result = v.safeParse(errorSchema, body);
  return `the token endpoint answered ${status} ${result.success ? result.output.error : 'with an unexpected body'}`;
}

/**
 * Gets a token as any client does.
 *
 * @throws {SyntheticCheckError} if there is no successful answer.
 */
async function requestToken(
  credentials: SyntheticCredentials,
  ports: RequestTokenPorts,
): Promise<string> {
  let answer = await ports.postTokenRequest(credentials);
  for (let attempt = 1; answer.status === 401 && attempt < maxAttempts; attempt += 1) {
    await ports.wait(retryDelay);
    answer = await ports.postTokenRequest(credentials);
  }
  if (answer.status !== 200) throw new SyntheticCheckError('token', describeRefusal(answer));
  const result = v.safeParse(tokenSchema, answer.body);
  if (result.success) return result.output.access_token;
  throw new SyntheticCheckError('token', 'the token endpoint answered 200 without a valid token');
}

const requiredClaims = ['iss', 'sub', 'aud', 'client_id', 'iat', 'exp', 'jti', 'scope'];

interface VerificationSettings extends SyntheticCheckSettings {
  /** Seconds since the epoch. */
  readonly now: number;
}

/**
 * Verifies a token with an independent library, as a platform API would (RFC 9068 §4).
 *
 * @throws {SyntheticCheckError} if it does not verify.
 */
async function verifyToken(
  token: string,
  jwks: unknown,
  { issuer, regionId, accessTokenType, now }: VerificationSettings,
): Promise<void> {
  const clientId = syntheticClientId(regionId);
  if (!v.is(servedJwksSchema, jwks)) {
    throw new SyntheticCheckError('jwks', 'the JWKS endpoint answered without a key set');
  }
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks as JSONWebKeySet), {
      issuer,
      audience: [...syntheticAuthority.audiences],
      subject: clientId,
      typ: accessTokenType,
      algorithms: [...algs],
      requiredClaims,
      clockTolerance: verifierLeeway,
      currentDate: new Date(now * 1000),
    });
    if (payload['client_id'] === clientId) return;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown error';
    throw new SyntheticCheckError('verification', `the token does not verify: ${why}`, { cause });
  }
  throw new SyntheticCheckError('verification', 'the token is for another client');
}
