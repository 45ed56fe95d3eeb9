import { requestsOfExecution } from './bounds.ts';
import { gatewayQuota } from './partitions.ts';

/** A Lambda function that answers requests of the public API. */
export type HttpFunctionName = 'token' | 'discovery' | 'jwks';

/** API Gateway's token bucket: requests a second, and the bucket's size in requests. */
interface Throttle {
  readonly rateLimit: number;
  readonly burstLimit: number;
}

/** The throttle of each method, by what it costs; see {@link throttlesOf}. */
export interface Throttles {
  readonly token: Throttle;
  readonly documents: Throttle;
  readonly health: Throttle;
}

/** One path of the public API. The stack, the local gateway and the tests read this definition. */
export interface Route {
  readonly path: string;
  /** The methods that are answered; every other method gets 405 with these in `Allow`. */
  readonly methods: readonly string[];
  readonly function: HttpFunctionName;
  /** Which of the deployment's throttles each of its methods has. */
  readonly throttle: keyof Throttles;
  /** Whether docs/openapi.yaml has the path; `/health` is for load balancers only. */
  readonly documented: boolean;
  /**
   * Whether the path is at the origin's root, before any issuer path (RFC 8414 §3.1). Without a
   * custom domain the stage name comes first, so such a path cannot be served.
   */
  readonly atOrigin?: true;
  /** The key of the deployment config that adds the path; every deployment has it if left out. */
  readonly onlyWith?: keyof RouteOptions;
}

/** The keys of a deployment config that add paths. */
export interface RouteOptions {
  readonly authorizationEndpoint: boolean;
  readonly clientImport?: object | undefined;
}

const apiVersionPath = '/api/v1';
export const tokenPath = `${apiVersionPath}/oauth/token`;
/** Amazon Cognito's path of the same endpoint, for callers that move with the name of their domain. */
export const formerTokenPath = '/oauth2/token';
export const authorizationPath = `${apiVersionPath}/oauth/authorize`;
export const openidConfigurationPath = '/.well-known/openid-configuration';
export const oauthAuthorizationServerPath = '/.well-known/oauth-authorization-server';
export const jwksPath = '/.well-known/jwks.json';
export const healthPath = '/health';

const documentMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Every path that a deployment may have; see {@link routesOf}. */
export const routes: readonly Route[] = [
  { path: tokenPath, methods: ['POST'], function: 'token', throttle: 'token', documented: true },
  {
    path: formerTokenPath,
    methods: ['POST'],
    function: 'token',
    throttle: 'token',
    documented: false,
    onlyWith: 'clientImport',
  },
  {
    path: authorizationPath,
    methods: ['GET', 'HEAD', 'POST'],
    function: 'discovery',
    throttle: 'documents',
    documented: true,
    onlyWith: 'authorizationEndpoint',
  },
  {
    path: openidConfigurationPath,
    methods: documentMethods,
    function: 'discovery',
    throttle: 'documents',
    documented: true,
  },
  {
    path: oauthAuthorizationServerPath,
    methods: documentMethods,
    function: 'discovery',
    throttle: 'documents',
    documented: true,
    atOrigin: true,
  },
  {
    path: jwksPath,
    methods: documentMethods,
    function: 'jwks',
    throttle: 'documents',
    documented: true,
  },
  {
    path: healthPath,
    methods: ['GET', 'HEAD'],
    function: 'token',
    throttle: 'health',
    documented: false,
  },
];

/** The paths of a deployment. */
export function routesOf(options: RouteOptions): readonly Route[] {
  return routes.filter(({ onlyWith }) => onlyWith === undefined || Boolean(options[onlyWith]));
}

/**
 * Share of the Sign quota that the token path may take: refusing at the gateway costs nothing,
 * and the rest is for rotation, health checks and other deployments of the account.
 */
const signQuotaShare = 0.8;

/** Documents are cached by their readers and cost neither a Sign nor, when warm, a read. */
const mostDocuments = 2000;

/**
 * Route 53 asks about every other second per region, from several checkers. The rest is for other
 * callers: a flood must be a hundred times as large before Route 53 gets no response. A response
 * costs no Sign call of its own: the result of one self-test is used for ten seconds.
 */
const healthThrottle: Throttle = { rateLimit: 200, burstLimit: 200 };

/**
 * A burst of half a second's requests. It is better to refuse a request than to let it wait longer.
 */
function withBurst(rateLimit: number): Throttle {
  return { rateLimit, burstLimit: Math.max(1, Math.floor(rateLimit / 2)) };
}

/** The keys of a deployment config that the throttles follow from. */
interface ThrottleConfig {
  readonly kmsSignQuota: number;
  readonly throttles: Partial<Pick<Throttles, 'token' | 'documents'>>;
  readonly fairShare: { readonly mode: 'enforce' | 'count' | 'off' };
  readonly apiGatewayQuota?: number | undefined;
  readonly reservedConcurrency: { readonly token?: number | undefined };
  readonly regions: Readonly<Record<string, { readonly awsRegion: string } | undefined>>;
}

/**
 * Requests a second that API Gateway gives the account in each region. The token path may have 40 %
 * and each document 30 %, so that a flood of one leaves the others theirs.
 */
export function leastGatewayQuota({ apiGatewayQuota, regions }: ThrottleConfig): number {
  const quotas = Object.values(regions).flatMap((region) =>
    region === undefined ? [] : gatewayQuota(region.awsRegion),
  );
  return apiGatewayQuota ?? Math.min(...quotas);
}

/**
 * The most that the stage may let in to the token path, in requests a second, with the reason. What
 * KMS does not sign costs an execution; the account's quota is also that of other APIs.
 */
export function highestTokenRate(config: ThrottleConfig): { rate: number; reason: string } {
  const gateway = leastGatewayQuota(config);
  const { token: reserved = Number.POSITIVE_INFINITY } = config.reservedConcurrency;
  const ofReserved = `${requestsOfExecution} for each of reservedConcurrency.token (${reserved})`;
  const bounds = [
    { rate: 4 * config.kmsSignQuota, reason: `four times kmsSignQuota (${config.kmsSignQuota})` },
    { rate: Math.floor(0.4 * gateway), reason: `40 % of apiGatewayQuota (${gateway})` },
    { rate: requestsOfExecution * reserved, reason: ofReserved },
  ];
  return bounds.reduce((least, bound) => (bound.rate < least.rate ? bound : least));
}

/** The function refuses what is above a client's share, so more than KMS signs may get in. */
function defaultTokenRate(config: ThrottleConfig): number {
  const { kmsSignQuota, fairShare, reservedConcurrency } = config;
  const isShared = fairShare.mode === 'enforce' && reservedConcurrency.token !== undefined;
  const rate = (isShared ? 2 : signQuotaShare) * kmsSignQuota;
  return Math.max(1, Math.floor(Math.min(rate, highestTokenRate(config).rate)));
}

/** The throttles of a deployment: those of its config, or defaults that fit its quotas. */
export function throttlesOf(config: ThrottleConfig): Throttles {
  const documentRate = Math.min(mostDocuments, Math.floor(0.2 * leastGatewayQuota(config)));
  const { token = withBurst(defaultTokenRate(config)), documents = withBurst(documentRate) } =
    config.throttles;
  return { token, documents, health: healthThrottle };
}
