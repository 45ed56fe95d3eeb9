import { type Duration, Lazy, Stack, Token } from 'aws-cdk-lib';
import { CfnAuthorizer, type MethodOptions, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AccessTokenType } from '../contract/access-token-type.ts';
import { defaultBearerRealm } from '../contract/bearer-challenge.ts';
import { defaultDeploymentName } from '../contract/function-names.ts';
import { functionSettings } from '../contract/function-settings.ts';
import { findIssuerProblem } from '../contract/issuer-form.ts';
import {
  cacheIdentitySources,
  type FailureStatus,
  failureStatuses,
  maxResultCacheTtl,
} from '../contract/platform-authorizer.ts';
import { isOrigin, isProofAlg, type ProofAlg, proofAlgs } from '../contract/proof-algorithms.ts';
import { resourceHelp, resourceMetadata } from '../contract/resource-metadata.ts';
import {
  isLookupFailureChoice,
  lookupFailureChoices,
  type OnLookupFailure,
} from '../contract/revocation-check.ts';
import { apiKeyUseTableName } from '../contract/tables.ts';
import { getBundles } from './functions/function-bundles.ts';
import { namedTableArn } from './functions/service-function.ts';
import {
  addAuthorizerAlarms,
  addAuthorizerFunction,
  tableArns,
} from './platform/authorizer-function.ts';
import { addBearerResponses } from './platform/bearer-gateway-responses.ts';
import { RequiredScopeError, RouteScopes } from './platform/route-scopes.ts';

/** What {@link PlatformAuthorizer} guards, and what it accepts. */
export interface PlatformAuthorizerProps {
  /** Your API. It can have one PlatformAuthorizer only: gateway responses are one set per API. */
  readonly restApi: RestApi;
  /** The authorization server's issuer, exactly as in its discovery document. */
  readonly issuer: string;
  /** The values of `aud` that your API accepts (RFC 7519 §4.1.3), at least one. */
  readonly audiences: readonly string[];
  /**
   * The authorization server's default audience, for clients without one.
   *
   * @default the first of your audiences
   */
  readonly defaultAudience?: string;
  /**
   * Name of the authorization server's deployment.
   *
   * @default authorization-server
   */
  readonly deploymentName?: string;
  /**
   * `tablesName` of the authorization server's config.
   *
   * @default the deployment's name
   */
  readonly tablesName?: string;
  /**
   * The beginning of the ARNs of the authorization server's tables, if they are in another account
   * or AWS region, e.g. `arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server`. Its
   * config must name this account (`tableReaders`).
   *
   * @default the tables of the deployment in this account and AWS region
   */
  readonly tables?: string;
  /**
   * Whether the day on which an API key was last used is recorded. The function may then write to
   * the deployment's table of these days in this account and AWS region, by which nothing decides.
   * It is never recorded with `tables`.
   *
   * @default true, without `tables`
   */
  readonly recordApiKeyUse?: boolean;
  /**
   * How long API Gateway may cache a decision, at most an hour. When an API key, client, provider or
   * token is revoked, it continues to work for as long. A token is never accepted after its `exp`.
   *
   * @default Duration.seconds(0), no decision is cached
   */
  readonly resultCacheTtl?: Duration;
  /**
   * `accessTokenType` of the authorization server's config. `JWT` accepts both types.
   *
   * @default at+jwt
   */
  readonly accessTokenType?: AccessTokenType;
  /**
   * Looks up the client of each token of the authorization server, and refuses tokens of disabled or
   * deleted clients and revoked tokens. `onLookupFailure` says what happens while DynamoDB does not
   * answer: `refuse` gives a 500, `accept` lets the token in without the look-up, logs it and counts
   * it in the metric `AcceptedWithoutLookup`.
   *
   * @default no look-up: a token stays valid until it expires
   */
  readonly revocation?: { readonly onLookupFailure: OnLookupFailure };
  /**
   * Tokens that are bound to a key (`cnf.jkt`, RFC 9449): whether tokens that are not are refused.
   * With `resultCacheTtl` above 0, bound tokens are refused, because no one would check the proofs of
   * later requests; so `required` allows no cache. API keys are accepted in any case. If set, the
   * challenges also name DPoP.
   *
   * @default allowed
   */
  readonly dpop?: 'allowed' | 'required';
  /**
   * The origins of your API as its clients see them, if something stands before the gateway: a CDN.
   *
   * @default the host that the gateway says that it was called by
   */
  readonly dpopOrigins?: readonly string[];
  /**
   * `alg` values of proofs.
   *
   * @default ES256, ES384, Ed25519, EdDSA, PS256, RS256, RS384
   */
  readonly dpopAlgorithms?: readonly ProofAlg[];
  /**
   * Protection space of the challenges (RFC 9110 §11.5): printable ASCII without quotes.
   *
   * @default platform
   */
  readonly realm?: string;
  /**
   * The URL of your API, which must be one of the audiences. Challenges then name its metadata
   * (RFC 9728), and a method of the API serves it to everyone. The API needs a domain of its own
   * without a base path: the metadata stands at the root of the host, before any stage.
   *
   * @default no metadata
   */
  readonly resource?: string;
  /**
   * Scopes that the metadata of `resource` names, for clients that know none.
   *
   * @default none
   */
  readonly resourceScopes?: readonly string[];
  /**
   * The status that callers get if the authorizer gives no decision: a table or an identity provider
   * does not answer, or the function fails. 503 has `Retry-After`.
   *
   * @default 500
   */
  readonly failureStatus?: FailureStatus;
  /**
   * The origin of pages that may read the refusals, or `*` for all: `Access-Control-Allow-Origin`.
   * Preflights have no credential, so their method needs `addCorsPreflight`, without this authorizer.
   *
   * @default no page of another origin
   */
  readonly allowOrigin?: string;
  /**
   * Where the alarms of the authorizer are published, e.g. `alarmTopic` of a region's stack.
   *
   * @default no one is notified; `alarms` has them
   */
  readonly alarmTopic?: ITopic;
  /**
   * Folder of the function bundles.
   *
   * @default the ones of this package
   */
  readonly bundles?: string;
}

const allowedOrigin = /^(\*|https?:\/\/[a-z0-9.-]+(:\d+)?)$/;

/** Props that cannot be used. */
export class PlatformAuthorizerError extends Error {
  override readonly name = 'PlatformAuthorizerError';
}

function refuseProp(prop: string, received: string, allowed: string): never {
  throw new PlatformAuthorizerError(`${prop}: received ${received}; allowed: ${allowed}`);
}

/** Seconds for which a decision may be cached. */
const ttlOf = ({ resultCacheTtl }: PlatformAuthorizerProps) => resultCacheTtl?.toSeconds() ?? 0;

function checkProps(props: PlatformAuthorizerProps): void {
  const { issuer, audiences, revocation, realm = defaultBearerRealm } = props;
  const problem = Token.isUnresolved(issuer) ? undefined : findIssuerProblem(issuer);
  if (problem !== undefined) refuseProp('issuer', JSON.stringify(issuer), problem);
  if (audiences.length === 0 || audiences.some((value) => value === '' || value.includes(' '))) {
    refuseProp('audiences', JSON.stringify(audiences), 'one or more texts without spaces');
  }
  if (props.tables !== undefined && props.tablesName !== undefined) {
    const allowed = 'nothing, since tables names the tables';
    refuseProp('tablesName', JSON.stringify(props.tablesName), allowed);
  }
  if (props.tables !== undefined && props.recordApiKeyUse === true) {
    const allowed = 'nothing, since tables names tables that this API only reads';
    refuseProp('recordApiKeyUse', 'true', allowed);
  }
  if (revocation !== undefined && !isLookupFailureChoice(revocation.onLookupFailure)) {
    const received = JSON.stringify(revocation.onLookupFailure) ?? 'nothing';
    refuseProp('revocation.onLookupFailure', received, lookupFailureChoices.join(' or '));
  }
  if (realm.includes("'")) {
    refuseProp('realm', JSON.stringify(realm), 'printable ASCII without quotes');
  }
  const { failureStatus = 500 } = props;
  if (!failureStatuses.includes(failureStatus)) {
    refuseProp('failureStatus', JSON.stringify(failureStatus), failureStatuses.join(' or '));
  }
  const { allowOrigin = '*' } = props;
  if (!allowedOrigin.test(allowOrigin)) {
    refuseProp(
      'allowOrigin',
      JSON.stringify(allowOrigin),
      '* or an origin, "https://app.example.com"',
    );
  }
  if (ttlOf(props) > maxResultCacheTtl) {
    refuseProp('resultCacheTtl', `${ttlOf(props)} s`, `at most ${maxResultCacheTtl} s`);
  }
}

function checkProofProps(props: PlatformAuthorizerProps): void {
  const { dpop = 'allowed', dpopOrigins, dpopAlgorithms = proofAlgs } = props;
  if (dpop !== 'allowed' && dpop !== 'required') {
    refuseProp('dpop', JSON.stringify(dpop), 'allowed or required');
  }
  if (dpop === 'required' && ttlOf(props) > 0) {
    const allowed = '0, since dpop is required: no one would check the proofs of later requests';
    refuseProp('resultCacheTtl', `${ttlOf(props)} s`, allowed);
  }
  if (dpopOrigins?.length === 0 || !(dpopOrigins ?? []).every(isOrigin)) {
    const allowed = 'one origin or more, e.g. "https://api.example.com"';
    refuseProp('dpopOrigins', JSON.stringify(dpopOrigins), allowed);
  }
  if (dpopAlgorithms.length === 0 || !dpopAlgorithms.every(isProofAlg)) {
    refuseProp('dpopAlgorithms', JSON.stringify(dpopAlgorithms), `of ${proofAlgs.join(', ')}`);
  }
}

/** Undefined if decisions are cached: bound tokens are refused then. */
function readProofFacts(props: PlatformAuthorizerProps) {
  const { dpop, dpopAlgorithms } = props;
  if (ttlOf(props) > 0) return undefined;
  return { algorithms: dpopAlgorithms ?? proofAlgs, required: dpop === 'required' };
}

function readMetadata(props: PlatformAuthorizerProps) {
  const { resource, issuer, audiences, resourceScopes: scopes } = props;
  if (resource === undefined) return undefined;
  const metadata = resourceMetadata(resource, issuer, audiences, {
    scopes,
    proofs: readProofFacts(props),
  });
  return metadata ?? refuseProp('resource', JSON.stringify(resource), resourceHelp);
}

/**
 * Makes a REST API accept the platform's bearer credentials: access tokens of the authorization
 * server and of registered identity providers, and API keys.
 *
 * The integration finds the caller in `requestContext.authorizer`: `client_id`, `scope`,
 * `service_trunk_group`, `credential`, `issuer`, `jti`.
 *
 * @example
 * const authorizer = new PlatformAuthorizer(scope, 'Authorizer', { restApi, issuer, audiences });
 * messages.addMethod('GET', integration, authorizer.requireScopes('messaging:view'));
 */
export class PlatformAuthorizer extends Construct {
  /** What to do when one fires: docs/runbook/platform-authorizer.md. */
  readonly alarms: readonly Alarm[];
  readonly #routes: RouteScopes;

  constructor(scope: Construct, id: string, props: PlatformAuthorizerProps) {
    super(scope, id);
    checkProps(props);
    checkProofProps(props);
    const { restApi, bundles = getBundles() } = props;
    const deploymentName = props.deploymentName ?? defaultDeploymentName;
    const tables = props.tables ?? props.tablesName ?? deploymentName;
    const requiredScopes = Lazy.any({ produce: () => this.#routes.scopesOf(restApi) }) as never;
    const recordsUse = props.recordApiKeyUse ?? props.tables === undefined;
    const apiKeyUses = recordsUse ? apiKeyUseTableName(deploymentName) : undefined;
    const settings = functionSettings.authorizer({
      ...props,
      tables,
      apiKeyUses,
      requiredScopes,
      resultCacheTtl: ttlOf(props),
    });
    const handler = addAuthorizerFunction(new Construct(this, 'Function'), {
      deploymentName,
      tables: tableArns(this, tables),
      apiKeyUses: apiKeyUses && namedTableArn(this, apiKeyUses),
      bundles,
      settings,
    });
    const authorizer = this.addAuthorizer(props, handler);
    this.#routes = new RouteScopes(authorizer.ref);
    this.alarms = addAuthorizerAlarms(new Construct(this, 'Alarms'), {
      deploymentName,
      handler,
      acceptsWithoutLookup: props.revocation?.onLookupFailure === 'accept',
      topic: props.alarmTopic,
    });
    addBearerResponses(new Construct(this, 'GatewayResponses'), {
      restApi,
      realm: props.realm ?? defaultBearerRealm,
      failureStatus: props.failureStatus ?? 500,
      metadata: readMetadata(props),
      proofAlgs: props.dpop && readProofFacts(props)?.algorithms,
      allowOrigin: props.allowOrigin,
    });
  }

  /**
   * Options of a method that requires a credential with every one of these scopes.
   *
   * @throws {RequiredScopeError} if there is no scope, or one is malformed.
   */
  requireScopes(...scopes: readonly string[]): MethodOptions {
    if (scopes.length === 0) {
      throw new RequiredScopeError(
        'requireScopes: received no scope; allowed: one scope or more (requireCredential() requires none)',
      );
    }
    return { authorizer: this.#routes.authorizerFor(scopes) };
  }

  /** Options of a method that any accepted credential may use, regardless of its scopes. */
  requireCredential(): MethodOptions {
    return { authorizer: this.#routes.authorizerFor([]) };
  }

  private addAuthorizer(props: PlatformAuthorizerProps, handler: IFunction): CfnAuthorizer {
    const { partition, region } = Stack.of(this);
    const ttl = ttlOf(props);
    const settings = {
      type: 'REQUEST',
      name: this.node.id,
      authorizerResultTtlInSeconds: ttl,
      // When a request lacks the first of these, the gateway returns 401 without invoking the
      // authorizer.
      identitySource: (ttl === 0 ? cacheIdentitySources.slice(0, 1) : cacheIdentitySources).join(
        ',',
      ),
    };
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      ...settings,
      restApiId: props.restApi.restApiId,
      authorizerUri: `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${handler.functionArn}/invocations`,
    });
    handler.addPermission('Invoke', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: props.restApi.restApiId,
        resourceName: `authorizers/${authorizer.ref}`,
      }),
    });
    // A stage uses a changed authorizer only after a new deployment.
    props.restApi.latestDeployment?.addToLogicalId({ authorizer: settings });
    return authorizer;
  }
}
