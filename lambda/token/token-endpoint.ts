import { randomFillSync } from 'node:crypto';
import { maxClockDifference, secondsPerDay } from '../../contract/bounds.ts';
import { noStoreHeaders } from '../../contract/error-body.ts';
import { requestMetrics } from '../../contract/request-metrics.ts';
import { idBytes } from '../../core/credential/credential-value.ts';
import { TooManyFailuresError, UnavailableError } from '../../core/errors.ts';
import { UnverifiableSignatureError } from '../../core/signing-key/sign-jws.ts';
import { formatTime, seconds } from '../../core/time.ts';
import { issueToken, type TokenPorts, type TokenSettings } from '../../core/token/issue-token.ts';
import type { TokenRequest } from '../../core/token/token-parameters.ts';
import type { TokenLogFields } from '../../core/token/token-values.ts';
import { type Endpoint, type Exchange, reportStaleKeyList } from '../shared/exchange.ts';
import { type HttpRequest, jsonResponse } from '../shared/http-message.ts';

/** An event to search for in logs, from OWASP's logging vocabulary. */
const guessingEvent = 'authn_login_fail_max';

function readTokenRequest(request: HttpRequest): TokenRequest {
  return {
    path: request.path,
    contentTypes: request.headerValues('content-type'),
    authorizations: request.headerValues('authorization'),
    proofs: request.headerValues('dpop'),
    queryNames: request.queryNames,
    body: request.body,
  };
}

/** The owner of a secret that expires soon should know while there is time. */
function reportNearExpiry(exchange: Exchange, { secretExpiresAt }: TokenLogFields): void {
  if (secretExpiresAt === undefined) return;
  const secondsLeft = secretExpiresAt - seconds(exchange.startedAt);
  const daysLeft = Math.floor(secondsLeft / secondsPerDay);
  exchange.measure(requestMetrics.secretDaysLeft, daysLeft);
  exchange.fields['secret_expires_at'] = formatTime(secretExpiresAt);
}

/** Passes the known fields of a token request to the log and the metrics, also when it fails. */
function reportToken(exchange: Exchange, log: TokenLogFields): void {
  // A matching secret or an assertion authenticates the client; an id is only a claim.
  if (log.secretId !== undefined || log.isWorkload === true) exchange.clientId = log.clientId;
  for (const name of log.counts ?? []) exchange.measure(name);
  if (log.secretUse === 'failed') exchange.measure(requestMetrics.secretUseFailures);
  const { refusals = [] } = log;
  if (refusals.length > 0) {
    exchange.measure(requestMetrics.signingKeyFallbacks);
    exchange.fields['unusable_kids'] = refusals.map(({ kid }) => kid);
    exchange.fields['unusable_reasons'] = refusals.map(({ reason }) => reason);
  }
  reportNearExpiry(exchange, log);
  if (log.largestShare !== undefined) {
    exchange.measure(requestMetrics.largestClientShare, log.largestShare);
  }
  Object.assign(exchange.fields, {
    client_id: log.clientId,
    secret_id: log.secretId,
    auth_method: log.method,
    scope: log.scope,
    aud: log.aud,
    jti: log.jti,
    kid: log.kid,
    secret_use: log.secretUse,
    client_throttle: log.clientThrottle,
    ...log.further,
  });
}

interface TokenEndpointPorts extends TokenPorts {
  /** Why the list of signing keys is old; undefined if it is fresh. */
  readonly keyListFailure: () => unknown;
}

/** `POST /api/v1/oauth/token`. */
export function createTokenEndpoint(ports: TokenEndpointPorts, settings: TokenSettings): Endpoint {
  const drawBytes = createRandomPool();
  return async (request, exchange) => {
    assertClock(request, exchange);
    const { startedAt, signal } = exchange;
    const log: TokenLogFields = {};
    const values = {
      now: seconds(startedAt),
      random: drawBytes(idBytes),
      source: request.sourceIp,
      signal,
      log,
    };
    try {
      const token = await issueToken(readTokenRequest(request), ports, settings, values);
      exchange.outcome = 'issued';
      return jsonResponse(200, token, noStoreHeaders);
    } catch (error) {
      if (error instanceof UnverifiableSignatureError) {
        exchange.measure(requestMetrics.unverifiableSignatures);
      }
      if (error instanceof TooManyFailuresError) {
        exchange.measure(requestMetrics.throttledAuthentications);
        exchange.fields['security_event'] = guessingEvent;
      }
      throw error;
    } finally {
      reportToken(exchange, log);
      reportStaleKeyList(exchange, ports.keyListFailure());
    }
  };
}

/**
 * Requires that this host's clock and API Gateway's agree. Either of them may be wrong, so no token
 * is issued with a time that cannot be trusted.
 *
 * @throws {UnavailableError}
 */
export function assertClock(request: HttpRequest, exchange: Exchange): void {
  const difference = Math.abs(exchange.startedAt - request.receivedAt) / 1000;
  // Not `>`: a missing time must also fail the check.
  if (difference <= maxClockDifference) return;
  exchange.measure(requestMetrics.clockDifferences);
  throw new UnavailableError(`the clock differs from API Gateway's by ${difference} s`);
}

/** Enough for 256 tokens. A call takes up to 10 µs for any number of bytes. */
const poolBytes = 4096;

/**
 * Random bytes for ids, generated many at a time; each is used once. They are first generated at
 * the first request, so a snapshot of the process never contains any.
 */
export function createRandomPool(): (length: number) => Uint8Array {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (length) => {
    if (used + length > pool.length) {
      pool = randomFillSync(Buffer.alloc(Math.max(poolBytes, length)));
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
