import { createHash } from 'node:crypto';
import * as oidc from 'openid-client';
import { ServiceUnavailableError, UnavailableError } from '../../core/errors.ts';
import type { Claims } from './people.ts';

/** `silent` shows nothing to the person; `forced` asks for credentials in any case. */
export const loginKinds = ['normal', 'silent', 'forced', 'recent'] as const;

/** A request to the provider, which the answer must match. */
export interface LoginRequest {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly kind: (typeof loginKinds)[number];
}

/** Why a login was not completed. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
  readonly problem: 'unavailable' | 'refused' | 'needs_person' | 'no_login_time' | 'invalid';

  constructor(problem: LoginError['problem'], options?: ErrorOptions) {
    super(`the login was not completed: ${problem}`, options);
    this.problem = problem;
  }
}

/**
 * The company's OpenID provider. Every method throws {@link LoginError}, or ServiceUnavailableError if the
 * client secret cannot be read.
 */
export interface LoginProvider {
  readonly issuer: string;
  /** The address that a browser is sent to. */
  readonly authorizationUrl: (request: LoginRequest) => Promise<string>;
  /**
   * The verified claims of the ID token; `auth_time` is now if the provider was asked for credentials
   * by a request that the browser could not change, and tells no time.
   *
   * @param url of the callback, with its query.
   */
  readonly finish: (url: URL, request: LoginRequest) => Promise<Claims>;
  /** Where the person's session at the provider ends; undefined if it has no such address. */
  readonly endSessionUrl: (returnTo: string) => Promise<string | undefined>;
}

interface LoginProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: () => Promise<string>;
  /** Throws UnavailableError if there is no whole response within seconds: a person waits. */
  readonly fetch: oidc.CustomFetch;
  readonly redirectUri: string;
  /** The default is `openid profile email`. */
  readonly scopes?: readonly string[] | undefined;
  /** The signature of ID tokens. The default is RS256. */
  readonly idTokenAlgorithm?: string | undefined;
  /** Seconds that a login may be old when a credential is created. */
  readonly recentLogin: number;
  /**
   * For a provider that has no `auth_time`: `prompt=login` instead of `max_age`, if the provider takes
   * pushed authorization requests (RFC 9126). From a request in its address, a browser removes it.
   */
  readonly acceptsPromptLogin?: boolean | undefined;
  /** Only for a provider on loopback. */
  readonly allowHttp?: boolean | undefined;
  /** Milliseconds since the epoch. */
  readonly clock?: (() => number) | undefined;
}

/** Seconds by which the provider's clock may be behind. */
const clockTolerance = 30;

/** Milliseconds for which the provider's metadata is kept. */
const metadataLifetime = 3_600_000;

/** OpenID Connect Core §3.1.2.6: the person must do something. */
const interactionErrors: readonly string[] = [
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
];

function toLoginError(error: unknown): LoginError {
  if (error instanceof LoginError) return error;
  const options = { cause: error };
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof UnavailableError || cause instanceof UnavailableError) {
    return new LoginError('unavailable', options);
  }
  if (error instanceof oidc.AuthorizationResponseError) {
    const needsPerson = interactionErrors.includes(error.error);
    const isDown = ['server_error', 'temporarily_unavailable'].includes(error.error);
    return new LoginError(
      needsPerson ? 'needs_person' : isDown ? 'unavailable' : 'refused',
      options,
    );
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const status = error instanceof oidc.ResponseBodyError ? error.status : undefined;
  const isDown =
    (status !== undefined && status >= 500) ||
    (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' && cause instanceof Response && cause.status >= 500);
  return new LoginError(isDown ? 'unavailable' : 'invalid', options);
}

async function withLoginErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // The client secret could not be read: that is no failure of the provider.
    throw error instanceof ServiceUnavailableError ? error : toLoginError(error);
  }
}

async function discover(options: LoginProviderOptions): Promise<oidc.Configuration> {
  const secret = await options.clientSecret();
  const metadata = {
    redirect_uris: [options.redirectUri],
    response_types: ['code'],
    id_token_signed_response_alg: options.idTokenAlgorithm ?? 'RS256',
  };
  const config = await oidc.discovery(
    new URL(options.issuer),
    options.clientId,
    metadata,
    oidc.ClientSecretBasic(secret),
    // The signature of the ID token is checked although it comes over TLS from the provider.
    {
      [oidc.customFetch]: options.fetch,
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(options.allowHttp === true ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
  const { issuer } = config.serverMetadata();
  if (issuer === options.issuer) return config;
  throw new Error(`the login's issuer: received ${issuer}; expected ${options.issuer}`);
}

/** Provider metadata and client secret, read again after an hour, and at once after a failure. */
function keepConfiguration(options: LoginProviderOptions) {
  const { clock = Date.now } = options;
  let kept: { readonly at: number; readonly config: Promise<oidc.Configuration> } | undefined;
  const get = (): Promise<oidc.Configuration> => {
    if (kept !== undefined && clock() - kept.at < metadataLifetime) return kept.config;
    const reading = { at: clock(), config: discover(options) };
    reading.config.catch(() => {
      if (kept === reading) kept = undefined;
    });
    kept = reading;
    return reading.config;
  };
  /** The next call reads it again. */
  const forget = () => {
    kept = undefined;
  };
  return { get, forget };
}

/** RFC 6749 §5.2: the client secret was replaced at the provider. */
function isUnknownClient(error: unknown): boolean {
  return (
    (error instanceof oidc.ResponseBodyError && error.error === 'invalid_client') ||
    (error instanceof oidc.WWWAuthenticateChallengeError && error.status === 401)
  );
}

/** Whether the request goes to the provider directly, and its answer counts as a new login. */
function isPushed(
  config: oidc.Configuration,
  { kind }: LoginRequest,
  { acceptsPromptLogin }: LoginProviderOptions,
): boolean {
  const canPush = config.serverMetadata().pushed_authorization_request_endpoint !== undefined;
  return acceptsPromptLogin === true && canPush && (kind === 'recent' || kind === 'forced');
}

/** Of a pushed request, one that follows from what the browser never sees. */
function nonceOf({ nonce, codeVerifier }: LoginRequest, pushed: boolean): string {
  return pushed ? createHash('sha256').update(`pushed ${codeVerifier}`).digest('base64url') : nonce;
}

/** A browser may have removed `max_age`, so only the claim counts. */
function checkLoginTime({ auth_time: time }: Claims, options: LoginProviderOptions): void {
  if (typeof time !== 'number') throw new LoginError('no_login_time');
  const now = (options.clock ?? Date.now)() / 1000;
  if (time + options.recentLogin + clockTolerance < now) throw new LoginError('invalid');
}

function promptOf(
  { kind }: LoginRequest,
  pushed: boolean,
  options: LoginProviderOptions,
): Readonly<Record<string, string>> {
  if (kind === 'silent') return { prompt: 'none' };
  if (kind === 'forced' || pushed) return { prompt: 'login' };
  if (kind === 'normal') return {};
  return { max_age: String(options.recentLogin) };
}

/** The provider, by its metadata: authorization code with PKCE, `state`, `nonce` and `iss`. */
export function createLoginProvider(options: LoginProviderOptions): LoginProvider {
  const configuration = keepConfiguration(options);
  return {
    issuer: options.issuer,
    authorizationUrl: (request) =>
      withLoginErrors(async () => {
        const config = await configuration.get();
        const pushed = isPushed(config, request, options);
        const parameters = {
          redirect_uri: options.redirectUri,
          scope: (options.scopes ?? ['openid', 'profile', 'email']).join(' '),
          state: request.state,
          nonce: nonceOf(request, pushed),
          code_challenge: await oidc.calculatePKCECodeChallenge(request.codeVerifier),
          code_challenge_method: 'S256',
          ...promptOf(request, pushed, options),
        };
        const url = pushed
          ? await oidc.buildAuthorizationUrlWithPAR(config, parameters)
          : oidc.buildAuthorizationUrl(config, parameters);
        return url.href;
      }),
    finish: (url, request) =>
      withLoginErrors(async () => {
        const config = await configuration.get();
        const pushed = isPushed(config, request, options);
        const checks = {
          pkceCodeVerifier: request.codeVerifier,
          expectedState: request.state,
          expectedNonce: nonceOf(request, pushed),
          idTokenExpected: true,
        };
        const tokens = await oidc
          .authorizationCodeGrant(config, url, checks)
          .catch((error: unknown) => {
            if (isUnknownClient(error)) configuration.forget();
            throw error;
          });
        const claims = tokens.claims();
        if (claims === undefined) throw new LoginError('invalid');
        if (pushed)
          return { auth_time: Math.floor((options.clock ?? Date.now)() / 1000), ...claims };
        if (request.kind === 'recent') checkLoginTime(claims, options);
        return claims;
      }),
    endSessionUrl: (returnTo) =>
      withLoginErrors(async () => {
        const config = await configuration.get();
        if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
        return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: returnTo }).href;
      }),
  };
}
