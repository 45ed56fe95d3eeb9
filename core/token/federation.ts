import { maxAssertionFormBytes } from '../../contract/bounds.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import { TooManyFailuresError, UnavailableError } from '../errors.ts';
import { OAuthError, type OAuthRefusal } from '../oauth-error.ts';
import { credentialParameters, grantTypes } from './capabilities.ts';
import {
  type Form,
  parseForm,
  type TokenParameters,
  type TokenRequest,
} from './token-parameters.ts';
import type { TokenValues } from './token-values.ts';

/** A client that is authenticated, and what it asks for. */
export interface AuthenticatedRequest {
  readonly client: Client;
  readonly parameters: Pick<TokenParameters, 'scopes' | 'resource'>;
  /** What authenticated the client. */
  readonly secret: Pick<ClientSecret, 'secretId' | 'lastUsedOn'>;
  /** Only of an assertion, which no token may outlive: seconds since the epoch. */
  readonly latestExpiry?: number | undefined;
}

/** A value and no error: the function's other files have error classes of their own. */
export type Outcome<Found> =
  | { readonly found: Found }
  | { readonly refusal: OAuthRefusal }
  /** Seconds. */
  | { readonly retryAfter: number }
  | { readonly unavailable: string };

/** Decides about requests that authenticate in another way than with a secret. */
export type Federation = (
  request: TokenRequest,
  values: TokenValues,
) => Promise<Outcome<AuthenticatedRequest>>;

const otherCredentials = ['assertion', ...credentialParameters];

/**
 * The form of a request that authenticates simply with HTTP Basic or, if the deployment accepts it,
 * with a secret in the body; undefined of any other.
 */
export function readSecretForm(
  { authorizations, queryNames, body }: TokenRequest,
  clientSecretPost = false,
): Form | undefined {
  const mayBe = authorizations.length > 0 || clientSecretPost;
  if (!mayBe || queryNames.includes('assertion')) return undefined;
  const form = parseForm(body, maxAssertionFormBytes);
  const has = (name: string) => form.get(name)?.some(Boolean);
  const [grantType = grantTypes[0]] = form.get('grant_type') ?? [];
  if (grantType !== grantTypes[0]) return undefined;
  if (clientSecretPost && has('client_secret')) return form;
  return authorizations.length === 0 || otherCredentials.some(has) ? undefined : form;
}

/**
 * What another file of the function found.
 *
 * @throws {OAuthError} if the request is refused.
 * @throws {TooManyFailuresError}
 * @throws {UnavailableError}
 */
export function settle<Found>(outcome: Outcome<Found>): Found {
  if ('found' in outcome) return outcome.found;
  if ('refusal' in outcome) throw new OAuthError(outcome.refusal);
  if ('retryAfter' in outcome)
    throw new TooManyFailuresError(outcome.retryAfter, 'assertion_throttled');
  throw new UnavailableError(outcome.unavailable);
}
