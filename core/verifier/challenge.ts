import {
  type BearerChallenge,
  defaultBearerRealm,
  formatBearerChallenge,
  formatChallenges,
} from '../../contract/bearer-challenge.ts';
import { noStoreHeaders, retryAfterSeconds, serverErrorBody } from '../../contract/error-body.ts';
import { UnavailableError } from '../errors.ts';
import { BearerRefusal } from './bearer-refusal.ts';

/** An HTTP response that a platform API sends instead of its own. */
export interface BearerErrorResponse {
  readonly status: 400 | 401 | 403 | 500 | 503;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text with `error` and `error_description`; a 403 also has `scope`. */
  readonly body: string;
}

const jsonHeaders = { 'Content-Type': 'application/json', ...noStoreHeaders } as const;

/** What an API says in each challenge: its protection space, and its metadata if it has some. */
type Api = Pick<BearerChallenge, 'realm' | 'resourceMetadata' | 'proofAlgs'> & {
  /** Makes a nonce, if proofs need one (RFC 9449 §9). */
  readonly makeNonce?: (() => string) | undefined;
};

/** The `WWW-Authenticate` value of a refusal (RFC 6750 §3). */
export function challengeOf(
  refusal: BearerRefusal,
  api: Api = { realm: defaultBearerRealm },
): string {
  const { realm, resourceMetadata, proofAlgs } = api;
  const content = {
    realm,
    resourceMetadata,
    error: refusal.code,
    description: refusal.description,
    scope: refusal.facts.requiredScopes?.join(' '),
  };
  const challenge = { ...content, proofAlgs };
  return isAboutProof(refusal) ? formatBearerChallenge(challenge) : formatChallenges(challenge);
}

function isAboutProof({ code }: BearerRefusal): boolean {
  return code === 'invalid_dpop_proof' || code === 'use_dpop_nonce';
}

function refusalResponse(refusal: BearerRefusal, api?: Api): BearerErrorResponse {
  return {
    status: refusal.status,
    headers: {
      ...jsonHeaders,
      'WWW-Authenticate': challengeOf(refusal, api),
      ...(isAboutProof(refusal) && api?.makeNonce && { 'DPoP-Nonce': api.makeNonce() }),
    },
    body: JSON.stringify({
      // A body always has the two members; RFC 6750 §3.1 excludes them only from the challenge.
      error: refusal.code ?? 'invalid_token',
      error_description: refusal.description ?? 'an access token or API key is required',
      scope: refusal.facts.requiredScopes?.join(' '),
    }),
  };
}

/**
 * The response to an error that a verifier threw: the refusal's status and challenge, 503 if
 * there is no decision at present, and an opaque 500 for everything else. Never access.
 *
 * @param api what the challenge says of the API: its realm (RFC 9110 §11.5) and its metadata.
 */
export function bearerErrorResponse(error: unknown, api?: Api): BearerErrorResponse {
  if (error instanceof BearerRefusal) return refusalResponse(error, api);
  if (error instanceof UnavailableError) {
    return {
      status: 503,
      headers: { ...jsonHeaders, 'Retry-After': String(retryAfterSeconds) },
      body: JSON.stringify({
        error: 'temporarily_unavailable',
        error_description: 'the credential cannot be checked for now, try again later',
      }),
    };
  }
  return { status: 500, headers: jsonHeaders, body: JSON.stringify(serverErrorBody) };
}
