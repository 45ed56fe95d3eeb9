import type { AwsJsonClients } from '../../adapters/aws-json-clients.ts';
import { createJsonCalls } from '../../adapters/dynamodb/clients/json-calls.ts';
import { createDynamoDbSigningKeyReader } from '../../adapters/dynamodb/stores/signing-key-reader.ts';
import type { Settings } from '../../contract/function-settings.ts';
import { keyMetrics } from '../../contract/key-metrics.ts';
import { jwksPath } from '../../contract/routes.ts';
import { UnavailableError } from '../../core/errors.ts';
import { buildJwks, publicationTime } from '../../core/jwks/jwks.ts';
import type { SigningKey, SigningKeyReader } from '../../core/signing-key/signing-key.ts';
import { SigningKeyCache } from '../../core/signing-key/signing-key-cache.ts';
import { seconds } from '../../core/time.ts';
import { type Endpoint, reportStaleKeyList } from '../shared/exchange.ts';
import {
  createDocument,
  createHttpFunction,
  type Document,
  documentHeaders,
  type HttpFunction,
  serveDocument,
} from '../shared/http-function.ts';
import { type FunctionOptions, resolveOptions } from '../shared/telemetry.ts';

/** For any reason: verifiers see an outage, and never a set without keys. */
function toUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError('there is no list of signing keys to publish', { cause: error });
}

/** The JWKS, from the stored public keys: it needs no KMS. */
export function createJwksFunction(
  settings: Settings<'jwks'>,
  signingKeys: SigningKeyReader,
  overrides: Partial<FunctionOptions> = {},
): HttpFunction {
  const options = resolveOptions('jwks', {}, overrides);
  const cache = new SigningKeyCache(signingKeys, {
    refreshInterval: settings.keyListRefresh,
    // An old list verifies more tokens than none, and each key still leaves at its recorded time.
    maxAge: Number.POSITIVE_INFINITY,
  });
  const documentOf = createJwksDocuments(settings.jwksMaxAge);
  const serve: Endpoint = (request, exchange) =>
    serveDocument(request, exchange, async () => {
      const now = seconds(exchange.startedAt);
      try {
        // The exchange itself, because its deadline begins when its signal is read.
        const keys = await cache.listSigningKeys(now, exchange);
        reportStaleKeyList(exchange, cache.failure);
        return documentOf(keys, publicationTime(now, seconds(request.receivedAt)));
      } catch (error) {
        exchange.measure(keyMetrics.jwksEmpty);
        throw toUnavailable(error);
      }
    });
  return createHttpFunction({
    ...options,
    name: 'jwks',
    endpoints: new Map([[jwksPath, serve]]),
    headers: documentHeaders,
  });
}

export function createJwksHandler(
  settings: Settings<'jwks'>,
  aws: Pick<AwsJsonClients, 'dynamodb'>,
  options: Partial<FunctionOptions> = {},
): HttpFunction {
  const calls = createJsonCalls(aws.dynamodb);
  const signingKeys = createDynamoDbSigningKeyReader(calls, settings.signingKeysTable);
  return createJwksFunction(settings, signingKeys, options);
}

/**
 * Until when a list of keys results in the same JWKS: a `previous` key leaves at its recorded time.
 */
function nextChange(keys: readonly SigningKey[], now: number): number {
  return Math.min(
    ...keys.map(({ withdrawAt = Number.POSITIVE_INFINITY }) =>
      withdrawAt > now ? withdrawAt : Number.POSITIVE_INFINITY,
    ),
  );
}

interface Made {
  readonly keys: readonly SigningKey[];
  readonly from: number;
  readonly until: number;
  readonly document: Document;
}

/**
 * Makes the JWKS of a list of keys, once for each list and set of keys within it.
 *
 * @param maxAge seconds for which readers may cache it.
 * @returns a function of the time in seconds since the epoch, which throws the errors of {@link
 * buildJwks}.
 */
export function createJwksDocuments(
  maxAge: number,
): (keys: readonly SigningKey[], now: number) => Document {
  let made: Made | undefined;
  return (keys, now) => {
    if (made?.keys !== keys || now < made.from || now >= made.until) {
      const document = createDocument(buildJwks(keys, now), maxAge);
      made = { keys, from: now, until: nextChange(keys, now), document };
    }
    return made.document;
  };
}
