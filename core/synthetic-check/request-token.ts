import * as v from 'valibot';
import { syntheticAuthority } from '../../contract/synthetic-check.ts';
import type { SyntheticCredentials } from './mint-secret.ts';
import { SyntheticCheckError } from './synthetic-check-error.ts';

/** Any answer of the token endpoint. */
export interface TokenAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface RequestTokenPorts {
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
export async function requestToken(
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
