/** A Lambda function that answers requests of the public API. */
export type HttpFunctionName = 'token' | 'discovery' | 'jwks';

/** API Gateway's token bucket: requests a second, and the bucket's size in requests. */
export interface Throttle {
  readonly rateLimit: number;
  readonly burstLimit: number;
}

/** The limits of each method, by what it costs; see `throttlesOf` in throttles.ts. */
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
  /** Whether the path belongs to the documented API; `/health` is for load balancers only. */
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
}

const apiVersionPath = '/api/v1';
export const tokenPath = `${apiVersionPath}/oauth/token`;
export const authorizationPath = `${apiVersionPath}/oauth/authorize`;
export const openidConfigurationPath = '/.well-known/openid-configuration';
export const oauthAuthorizationServerPath = '/.well-known/oauth-authorization-server';
export const jwksPath = '/.well-known/jwks.json';
export const healthPath = '/health';

const documentMethods = ['GET', 'HEAD', 'OPTIONS'];

/** Every path that a deployment may have; see {@link routesOf}. */
export const routes: readonly Route[] = [
  {
    path: tokenPath,
    methods: ['POST'],
    function: 'token',
    throttle: 'token',
    documented: true,
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
  return routes.filter(({ onlyWith }) => onlyWith === undefined || options[onlyWith]);
}
