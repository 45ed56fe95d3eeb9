/** A Lambda function that answers requests of the public API. */
export type HttpFunctionName = 'token' | 'discovery' | 'jwks';

/** One path of the public API. Written here once: the stack, the local gateway and the tests read it. */
export interface Route {
  readonly path: string;
  /** The methods that are answered; every other method gets 405 with these in `Allow`. */
  readonly methods: readonly string[];
  readonly function: HttpFunctionName;
  /** API Gateway method throttle: requests a second, and the bucket's size in requests. */
  readonly throttle: { readonly rateLimit: number; readonly burstLimit: number };
  /** Whether the path belongs to the documented API; `/health` is for load balancers only. */
  readonly documented: boolean;
  /**
   * Whether the path stands at the origin's root, before any issuer path (RFC 8414 §3.1). Without
   * a custom domain the stage name comes first, so that such a path cannot be served.
   */
  readonly atOrigin: boolean;
}

const apiVersionPath = '/api/v1';
export const tokenPath = `${apiVersionPath}/oauth/token`;
export const openidConfigurationPath = '/.well-known/openid-configuration';
export const oauthAuthorizationServerPath = '/.well-known/oauth-authorization-server';
export const jwksPath = '/.well-known/jwks.json';
export const healthPath = '/health';

/** Clients that cache a token for its life need far fewer; this stays below the KMS Sign quota. */
const tokenThrottle = { rateLimit: 800, burstLimit: 400 };
/** Documents are cached by their readers and cost neither a Sign nor, when warm, a read. */
const documentThrottle = { rateLimit: 2000, burstLimit: 1000 };
/** Route 53 asks about every other second per region, from several checkers. */
const healthThrottle = { rateLimit: 20, burstLimit: 20 };

const documentMethods = ['GET', 'HEAD', 'OPTIONS'];

export const routes: readonly Route[] = [
  {
    path: tokenPath,
    methods: ['POST'],
    function: 'token',
    throttle: tokenThrottle,
    documented: true,
    atOrigin: false,
  },
  {
    path: openidConfigurationPath,
    methods: documentMethods,
    function: 'discovery',
    throttle: documentThrottle,
    documented: true,
    atOrigin: false,
  },
  {
    path: oauthAuthorizationServerPath,
    methods: documentMethods,
    function: 'discovery',
    throttle: documentThrottle,
    documented: true,
    atOrigin: true,
  },
  {
    path: jwksPath,
    methods: documentMethods,
    function: 'jwks',
    throttle: documentThrottle,
    documented: true,
    atOrigin: false,
  },
  {
    path: healthPath,
    methods: ['GET', 'HEAD'],
    function: 'token',
    throttle: healthThrottle,
    documented: false,
    atOrigin: false,
  },
];
