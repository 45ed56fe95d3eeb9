import { deployedRegions } from '../../contract/deployment-config.ts';
import type { Client, ClientSecret } from '../client/client.ts';
import { isId } from '../credential/credential-value.ts';
import { OAuthError, type RefusalReason } from '../oauth-error.ts';
import { formatTime } from '../rfc3339.ts';
import { selectSigningKeys } from '../signing-key/select-signing-key.ts';
import { buildAccessTokenClaims } from '../token/access-token-claims.ts';
import { findAuthenticationRefusal } from '../token/client-authentication.ts';
import { parseResource, selectAudience } from '../token/resource.ts';
import { grantScopes, parseScope } from '../token/scope.ts';
import { effectiveAudiences } from './client-view.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

/** One step of a token request, and what would come of it. */
export interface TokenStep {
  readonly step: string;
  readonly outcome: 'passed' | 'refused';
  readonly detail: string;
}

export interface TokenExplanation {
  readonly granted: boolean;
  /** In the order in which the token endpoint takes them; the last is the one that decides. */
  readonly steps: readonly TokenStep[];
  /** `error` and `error_description` of the answer (RFC 6749 §5.2). */
  readonly error?: string | undefined;
  readonly errorDescription?: string | undefined;
  readonly reason?: RefusalReason | 'no_signing_key' | undefined;
  /** Claims of the token that would be issued, but for its random `jti`. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

export interface TokenQuestion {
  readonly clientId: string;
  /** The `scope` parameter; undefined where the request has none. */
  readonly scope?: string | undefined;
  readonly resource?: string | undefined;
}

/** Ends an explanation at the step that refuses. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly oauth: OAuthError;

  constructor(reason: RefusalReason, detail: string) {
    super(detail);
    this.oauth = new OAuthError(reason);
  }
}

function describeSecret(client: Client, secret: ClientSecret, now: number): string {
  const name = secret.name === undefined ? secret.secretId : `${secret.secretId} (${secret.name})`;
  const refusal = findAuthenticationRefusal(client, secret, now);
  if (refusal !== undefined) return `${name}: ${refusal}`;
  const end = secret.expiresAt === undefined ? '' : ` until ${formatTime(secret.expiresAt)}`;
  return `${name}: good${end}`;
}

function checkClient(client: Client | undefined, now: number): string {
  if (client === undefined) throw new Refused('unknown_client', 'there is no such client');
  if (client.provider !== undefined) {
    throw new Refused(
      'provider_client',
      `a client of the provider ${client.provider.issuer} gets its tokens there`,
    );
  }
  if (!client.enabled) throw new Refused('client_disabled', 'the client is disabled');
  const [first] = client.secrets;
  if (first === undefined) throw new Refused('no_secret', 'the client has no secret');
  const good = client.secrets.filter((one) => !findAuthenticationRefusal(client, one, now));
  const detail = client.secrets.map((one) => describeSecret(client, one, now)).join('\n');
  if (good.length > 0) return detail;
  throw new Refused(findAuthenticationRefusal(client, first, now) ?? 'secret_expired', detail);
}

/** Each region signs with its own keys, so that one may have none where the others do. */
async function describeKeys(
  context: ManagementContext,
  expiresAt: number,
): Promise<{ readonly detail: string; readonly isSignable: boolean }> {
  const keys = await context.signingKeys.listSigningKeys();
  const { publicationLead } = context.config.signingKeyPolicy;
  const chosen = deployedRegions(context.config).map(({ id: regionId }) => {
    const need = { regionId, now: currentTime(context), expiresAt, publicationLead };
    return { regionId, key: selectSigningKeys(keys, need)[0] };
  });
  return {
    detail: chosen
      .map(({ regionId, key }) => `${regionId}: ${key ? `${key.alg} key ${key.kid}` : 'no key'}`)
      .join(', '),
    isSignable: chosen.some(({ key }) => key !== undefined),
  };
}

class Explanation {
  readonly #steps: TokenStep[] = [];

  /**
   * Takes a step of the token path; what it throws is what the token endpoint would answer.
   *
   * @param known what there is to choose from, told where the step refuses.
   */
  take<T>(step: string, run: () => T, describe: (result: T) => string, known?: string): T {
    try {
      const result = run();
      this.#steps.push({ step, outcome: 'passed', detail: describe(result) });
      return result;
    } catch (error) {
      const oauth = error instanceof Refused ? error.oauth : error;
      if (!(oauth instanceof OAuthError)) throw error;
      const detail = error instanceof Refused ? error.message : (known ?? oauth.description);
      this.#steps.push({ step, outcome: 'refused', detail });
      throw oauth;
    }
  }

  refuse(step: string, detail: string): void {
    this.#steps.push({ step, outcome: 'refused', detail });
  }

  pass(step: string, detail: string): void {
    this.#steps.push({ step, outcome: 'passed', detail });
  }

  get steps(): readonly TokenStep[] {
    return this.#steps;
  }
}

async function explain(
  context: ManagementContext,
  question: TokenQuestion,
  steps: Explanation,
): Promise<TokenExplanation> {
  const { config } = context;
  const now = currentTime(context);
  const requested = steps.take(
    'scope parameter',
    () => parseScope(question.scope || undefined),
    (scopes) => scopes?.join(' ') ?? 'none: every scope of the client',
  );
  const resource = steps.take(
    'resource parameter',
    () => parseResource(question.resource),
    (value) => value ?? "none: the client's default audience",
  );
  const isClientId = isId('client', question.clientId);
  const client = isClientId ? await context.clients.findClient(question.clientId) : undefined;
  steps.take('client authentication', () => checkClient(client, now), String);
  if (client === undefined) throw new OAuthError('unknown_client');
  const scopes = steps.take(
    'scopes',
    () => grantScopes(requested, client.scopes),
    (granted) => granted.join(' '),
    `the client has ${client.scopes.join(' ') || 'none'}`,
  );
  const audience = steps.take(
    'audience',
    () => selectAudience(resource, client.audiences, config.defaultAudience),
    String,
    `the client has ${effectiveAudiences(client, config).join(' ')}`,
  );
  const { jti: _, ...claims } = buildAccessTokenClaims(
    { client, scopes, audience },
    { now, random: new Uint8Array(16) },
    {
      issuer: config.issuer ?? 'the address of the API',
      maxTokenLifetime: config.tokenLifetime.maximum,
    },
  );
  steps.pass('claims', `the token would live ${claims.exp - claims.iat} seconds`);
  const keys = await describeKeys(context, claims.exp);
  if (!keys.isSignable) {
    steps.refuse('signing key', keys.detail);
    return {
      granted: false,
      steps: steps.steps,
      reason: 'no_signing_key',
      error: 'temporarily_unavailable',
    };
  }
  steps.pass('signing key', keys.detail);
  return { granted: true, steps: steps.steps, claims };
}

/**
 * Says what the token endpoint would answer, step by step, by taking the token path's own steps
 * on the stored client. Nothing is issued, and no secret is asked for: each one of the client is
 * judged as if it had been sent.
 */
export async function explainToken(
  context: ManagementContext,
  question: TokenQuestion,
): Promise<TokenExplanation> {
  const steps = new Explanation();
  try {
    return await explain(context, question, steps);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { reason, code, description } = error;
    return {
      granted: false,
      steps: steps.steps,
      reason,
      error: code,
      errorDescription: description,
    };
  }
}
