import { isClientId } from '../../contract/client-id.ts';
import { deployedRegions } from '../../contract/deployment-config.ts';
import type { OperationInput, OperationResult } from '../../contract/management/operations.ts';
import { ownValue } from '../../contract/own-value.ts';
import { isSyntheticClientId } from '../../contract/synthetic-check.ts';
import { type Client, type ClientSecret, withoutSyntheticAuthority } from '../client/client.ts';
import { idBytes } from '../credential/credential-value.ts';
import { formatDuration } from '../duration.ts';
import { describeCanaryRun } from '../key-rotation/canary-run.ts';
import { OAuthError, type OAuthErrorReason, oauthErrorTexts } from '../oauth-error.ts';
import { selectSigningKeys } from '../signing-key/select-signing-key.ts';
import { describeStops } from '../stops.ts';
import { formatTime } from '../time.ts';
import {
  buildAccessTokenClaims,
  findProofMode,
  selectAudience,
  selectScopes,
} from '../token/access-token-claims.ts';
import { findAuthenticationFailure } from '../token/client-authentication.ts';
import { parseResource, parseScope } from '../token/token-parameters.ts';
import { effectiveAudiences } from './client-view.ts';
import { currentTime, type ManagementContext } from './management-context.ts';

type TokenExplanation = OperationResult<'explainToken'>;

/** One step of a token request with its result. */
type ExplainedStep = TokenExplanation['steps'][number];

type TokenQuestion = OperationInput<'explainToken', 'question'>;

type Failure = (secret: ClientSecret | undefined) => OAuthErrorReason | undefined;

/** As the token endpoint decides, which knows what the config says of secrets and keys. */
function failureOf(
  { config: { clientKeys } }: ManagementContext,
  client: Client | undefined,
  now: number,
): Failure {
  return (secret) => {
    const failure = findAuthenticationFailure(client, secret, now);
    if (failure !== undefined || client === undefined || secret === undefined) return failure;
    const isKey = secret.publicKey !== undefined;
    if (isKey) return clientKeys === undefined ? 'authentication_method' : undefined;
    return clientKeys?.only && !isSyntheticClientId(client.clientId) ? 'keys_only' : undefined;
  };
}

function describeSecret(
  secret: ClientSecret,
  failure: OAuthErrorReason | undefined,
  { nameActor }: ManagementContext,
): string {
  const name = secret.name === undefined ? secret.secretId : `${secret.secretId} (${secret.name})`;
  if (failure === 'secret_disabled') {
    return `${name}: ${describeStops(secret.stops, nameActor).join('; ')}`;
  }
  if (failure !== undefined) return `${name}: ${failure}`;
  const until = secret.expiresAt === undefined ? '' : ` until ${formatTime(secret.expiresAt)}`;
  return `${name}: good${until}${secret.imported ? ', imported' : ''}`;
}

/** Explanations of refusals that do not concern a single secret. */
const reasonTexts: Partial<Record<OAuthErrorReason, string>> = {
  unknown_client: 'there is no such client',
  provider_client: 'a client of a registered provider gets its tokens there',
  no_secret: 'the client has no secret',
};

/**
 * Checks each secret as if it had been sent. One valid secret is enough.
 *
 * @throws {OAuthError} if the client has none.
 */
function takeClient(
  context: ManagementContext,
  steps: ExplainedSteps,
  client: Client | undefined,
): Client {
  const findFailure = failureOf(context, client, currentTime(context));
  const stops = describeStops(client?.stops, context.nameActor);
  const texts = { ...reasonTexts, client_disabled: `the client is ${stops.join('; ')}` };
  const secrets = client?.secrets ?? [];
  const candidates = secrets.length === 0 ? [undefined] : secrets;
  const failures = candidates.map(findFailure);
  const detail = secrets.map((one) => describeSecret(one, findFailure(one), context)).join('\n');
  if (client !== undefined && failures.includes(undefined)) {
    steps.add('client authentication', 'passed', detail);
    return withoutSyntheticAuthority(client);
  }
  // A problem of the whole client is reported before problems of its secrets.
  const ofClient = failures.find((one) => one !== undefined && Object.hasOwn(texts, one));
  const reason = ofClient ?? failures[0] ?? 'secret_expired';
  steps.add('client authentication', 'refused', (texts as typeof reasonTexts)[reason] ?? detail);
  throw new OAuthError(reason);
}

/** Each region signs with its own keys, so a region may have no key when others have one. */
async function describeKeys(
  context: ManagementContext,
  expiresAt: number,
): Promise<{ readonly detail: string; readonly isSignable: boolean }> {
  const keys = await context.signingKeys.listSigningKeys();
  const { publicationLead, leeway } = context.config.signingKeyPolicy;
  // Only for the staff: its reasons name keys and roles.
  const runs = context.trunkGroups === undefined ? await context.listCanaryRuns() : undefined;
  const now = currentTime(context);
  const regions = deployedRegions(context.config).map(({ id: regionId }) => {
    const need = { regionId, now, expiresAt, publicationLead, leeway };
    const [key] = selectSigningKeys(keys, need);
    const run = runs && describeCanaryRun(runs, regionId, now);
    return {
      detail: `${regionId}: ${key ? `${key.alg} key ${key.kid}` : 'no key'}${run ? `; ${run.text}` : ''}`,
      isSignable: key !== undefined && run?.failsToSign !== true,
    };
  });
  return {
    detail: regions.map(({ detail }) => detail).join('\n'),
    isSignable: regions.some(({ isSignable }) => isSignable),
  };
}

function addLimits(
  steps: ExplainedSteps,
  { mode, signsPerMinute }: ManagementContext['config']['fairShare'],
): void {
  if (mode === 'off') return;
  const above = mode === 'enforce' ? 'it gets 429' : 'the log names it';
  const limits = `in each instance ${signsPerMinute} new tokens a minute (client_signs_per_minute), and while KMS throttles its share and that of its trunk group (client_share, trunk_group_share)`;
  steps.add('limits of the client', 'passed', `${limits}; above them ${above}`);
}

/** A proof is of one request: without one here, nothing is refused for want of it. */
function addProof(
  steps: ExplainedSteps,
  { dpop }: ManagementContext['config'],
  audience: string,
): void {
  const mode = dpop && findProofMode(dpop, audience);
  if (mode === undefined) return;
  const needs =
    mode === 'required'
      ? 'the request also needs a DPoP proof, and the token is bound to its key'
      : 'with a DPoP proof, the token is bound to its key';
  steps.add('proof of a key', 'passed', `${needs}; ${dpop?.algorithms.join(', ')}`);
}

async function explain(
  context: ManagementContext,
  question: TokenQuestion,
  steps: ExplainedSteps,
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
  const { clientId } = question;
  const found = isClientId(clientId) ? await context.clients.find(clientId) : undefined;
  const client = takeClient(context, steps, found);
  const scopes = steps.take(
    'scopes',
    () => selectScopes(requested, client.scopes, config.ignoredScopes),
    (granted) => granted.join(' '),
    `the client has ${client.scopes.join(' ') || 'none'}`,
  );
  const audience = steps.take(
    'audience',
    () => selectAudience(resource, client.audiences, config.defaultAudience),
    String,
    `the client has ${effectiveAudiences(client, config).join(' ')}`,
  );
  addProof(steps, config, audience);
  const { jti: _, ...claims } = buildAccessTokenClaims(
    { client, scopes, audience },
    { now, random: new Uint8Array(idBytes) },
    {
      issuer: config.issuer ?? 'the address of the API',
      maxTokenLifetime: config.tokenLifetime.maximum,
    },
  );
  const validity = formatDuration(claims.exp - claims.iat);
  steps.add('claims', 'passed', `the token would be valid for ${validity}`);
  const keys = await describeKeys(context, claims.exp);
  steps.add('signing key', keys.isSignable ? 'passed' : 'refused', keys.detail);
  if (!keys.isSignable) {
    return {
      granted: false,
      steps: steps.taken,
      reason: 'no_signing_key',
      error: 'temporarily_unavailable',
      remedy:
        '`authctl signing-key list` has the state of each key (docs/runbook/token-unavailable.md).',
    };
  }
  addLimits(steps, config.fairShare);
  return { granted: true, steps: steps.taken, claims };
}

/** A remedy of docs/refusals.md for a reader who cannot follow its links: the page stands after its name. */
export function withoutLinks(remedy: string): string {
  return remedy.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)');
}

/**
 * Reports what the token endpoint would answer, step by step, by running the token path's own steps
 * on the stored client. It issues no token and needs no secret: each secret of the client is
 * checked as if it had been sent.
 */
export async function explainToken(
  context: ManagementContext,
  question: TokenQuestion,
): Promise<TokenExplanation> {
  const steps = new ExplainedSteps();
  try {
    return await explain(context, question, steps);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { reason, code, description } = error;
    const remedy = ownValue(oauthErrorTexts, reason)?.remedy;
    return {
      granted: false,
      steps: steps.taken,
      reason,
      error: code,
      errorDescription: description,
      remedy: remedy && withoutLinks(remedy),
    };
  }
}

/** Takes the steps of a token request one by one and records the result of each. */
class ExplainedSteps {
  readonly #taken: ExplainedStep[] = [];

  get taken(): readonly ExplainedStep[] {
    return this.#taken;
  }

  /**
   * @param describe the detail if the step passes.
   * @param known the possible choices, as the detail if the step refuses.
   * @throws {OAuthError} the error that the token endpoint would return.
   */
  take<T>(step: string, run: () => T, describe: (result: T) => string, known?: string): T {
    try {
      const result = run();
      this.add(step, 'passed', describe(result));
      return result;
    } catch (error) {
      if (error instanceof OAuthError) this.add(step, 'refused', known ?? error.description);
      throw error;
    }
  }

  add(step: string, outcome: ExplainedStep['outcome'], detail: string): void {
    this.#taken.push({ step, outcome, detail });
  }
}
