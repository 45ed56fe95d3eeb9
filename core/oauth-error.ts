/** The error codes of RFC 6749 §5.2, RFC 8707 §2 and RFC 9449 §5 that the token endpoint sends. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof';

/** What a refused token request is answered, and what ends the refusal. */
export interface ErrorText {
  readonly code: OAuthErrorCode;
  /** Public text: one for every failed authentication, so a response reveals nothing of the client. */
  readonly description: string;
  /** What ends it, in Markdown: for operators, and for callers who read docs/refusals.md. */
  readonly remedy: string;
}

function refusal(code: OAuthErrorCode, description: string, remedy: string): ErrorText {
  return { code, description, remedy };
}

function authenticationFailed(remedy: string): ErrorText {
  return refusal('invalid_client', 'client authentication failed', remedy);
}

const useBasic =
  'Send the id and the secret in the header `Authorization: Basic`, with the first request. [Libraries](interop.md#token-clients) has the setting of each client.';
const sendOnce = 'Send it once.';
const onlyBasic = 'the client must authenticate with HTTP Basic (client_secret_basic)';

/**
 * Why a token request is refused. The reason is for logs; code and description go to the client.
 * All are fixed texts, so nothing from a request can be returned or logged.
 */
export const oauthErrorTexts = {
  content_type: refusal(
    'invalid_request',
    'the Content-Type must be application/x-www-form-urlencoded',
    'Send a form, not JSON: `-d grant_type=client_credentials` in curl.',
  ),
  body_too_large: refusal(
    'invalid_request',
    'the request body is too large',
    'Send only `grant_type`, `scope` and `resource`.',
  ),
  body_encoding: refusal(
    'invalid_request',
    'the request body is not valid form encoding',
    'Encode each value for a form (`encodeURIComponent`, `urllib.parse.urlencode`).',
  ),
  too_many_parameters: refusal(
    'invalid_request',
    'the request body has too many parameters',
    'Send only `grant_type`, `scope` and `resource`.',
  ),
  repeated_parameter: refusal('invalid_request', 'a parameter must not be repeated', sendOnce),
  parameter_in_query: refusal(
    'invalid_request',
    'parameters must be in the request body, not in the query',
    'Move the parameters from the URL to the body: URLs are logged.',
  ),
  no_grant_type: refusal(
    'invalid_request',
    'grant_type is missing',
    'Send `grant_type=client_credentials`.',
  ),
  grant_type: refusal(
    'unsupported_grant_type',
    'grant_type must be client_credentials',
    'Send `grant_type=client_credentials`: there are no users and no refresh tokens.',
  ),
  authorization_too_large: refusal(
    'invalid_request',
    'the Authorization header is too large',
    'Send an id and a secret that `authctl` printed, nothing else.',
  ),
  repeated_authorization: refusal(
    'invalid_request',
    'there must be one Authorization header',
    sendOnce,
  ),
  several_authentications: refusal(
    'invalid_request',
    'the client must authenticate in one way, only with HTTP Basic',
    'Leave `client_secret` and `client_assertion` out of the body, and keep the header.',
  ),
  client_id_mismatch: refusal(
    'invalid_request',
    'client_id must be the same in the request body and in the Authorization header',
    'Leave `client_id` out of the body, or send that of the header.',
  ),
  secret_not_alone: refusal(
    'invalid_request',
    'the client must authenticate in one way: remove client_secret from the body',
    'Leave `client_secret` out of the body, and keep the header or the assertion.',
  ),
  no_authentication: refusal('invalid_client', onlyBasic, useBasic),
  authentication_method: refusal(
    'invalid_client',
    onlyBasic,
    `${useBasic} Go’s \`x/oauth2\` repeats every failed request in this way, and shows only this second refusal: set \`AuthStyleInHeader\` to see the first. Clients that cannot send the header need [\`clientSecretPost\`](configuration.md).`,
  ),
  keys_only: refusal(
    'invalid_client',
    'the client must authenticate with private_key_jwt',
    'Send a `client_assertion`: [a key in place of a secret](keyless.md#a-key-in-place-of-a-secret).',
  ),
  authentication_scheme: authenticationFailed(useBasic),
  malformed_credentials: authenticationFailed(
    'Encode `id:secret` as Base64, without a line break; most HTTP clients do it (`curl -u`).',
  ),
  blank_around_credentials: refusal(
    'invalid_client',
    'a blank or a line break is before or after the id or the secret',
    'Use `printf %s`, not `echo`, and `tr -d "\\n"` for a stored secret.',
  ),
  unknown_client: authenticationFailed(
    'Check that the id is from this deployment: `authctl client show ID`. When a client is deleted, it does not come back.',
  ),
  wrong_secret: authenticationFailed(
    'Send the secret as it was shown. If it is lost, create another one: `authctl client-secret create ID`.',
  ),
  no_secret: authenticationFailed('`authctl client-secret create ID`.'),
  secret_expired: authenticationFailed(
    '`authctl client-secret rotate ID`, and give the new secret to the client.',
  ),
  secret_disabled: authenticationFailed(
    'Use another secret of the client, or enable this one if it has not leaked.',
  ),
  client_disabled: authenticationFailed(
    '`authctl client show ID` says who stopped it. A person: `client enable`. Its trunk group: `trunk-group resume`. A stack: update it.',
  ),
  provider_client: authenticationFailed(
    'Get the token from the client’s own [identity provider](providers.md).',
  ),
  scope_syntax: refusal(
    'invalid_scope',
    'scope must be scope tokens, each separated by one space',
    'Separate scopes by one space; without `scope`, the token has all of the client.',
  ),
  scope_not_granted: refusal(
    'invalid_scope',
    'the client may not have a scope that it asks for',
    'Ask for fewer scopes (`authctl client show ID` lists those granted), or grant it: `authctl client update ID --add-scope SCOPE` adds one, `--scope` replaces all. One that is not in the catalogue: leave it out, or name it in `ignoredScopes`.',
  ),
  client_without_scopes: refusal(
    'invalid_scope',
    'the client has no scopes',
    'Grant one: `authctl client update ID --add-scope SCOPE`.',
  ),
  audience_parameter: refusal(
    'invalid_request',
    'audience is not supported: name the API with resource',
    'Send `resource` instead, or nothing; or set `audienceParameter` to `resource`.',
  ),
  repeated_resource: refusal('invalid_target', 'there must be one resource', sendOnce),
  resource_syntax: refusal(
    'invalid_target',
    'resource must be an absolute URI without a fragment',
    'Send an absolute URI without `#`, or leave `resource` out.',
  ),
  resource_not_allowed: refusal(
    'invalid_target',
    'the client may not ask for this resource',
    'Send one of the client’s audiences, or leave `resource` out.',
  ),
} as const satisfies Record<string, ErrorText>;

export type OAuthErrorReason = keyof typeof oauthErrorTexts;

/** Why a request with an assertion or a proof is refused, which another file of the function says. */
export interface OAuthRefusal {
  readonly reason: string;
  readonly code: OAuthErrorCode;
  readonly description: string;
  /** The outcome in log and metrics if it is not the code: no alarm of the platform counts it. */
  readonly outcome?: string | undefined;
}

/** A token request that is refused with an error response (RFC 6749 §5.2). */
export class OAuthError extends Error implements OAuthRefusal {
  override readonly name = 'OAuthError';
  readonly reason: string;
  /** `error` on the wire. */
  readonly code: OAuthErrorCode;
  /** `error_description` on the wire. */
  readonly description: string;
  readonly status: number;
  readonly outcome: string;

  constructor(reason: OAuthErrorReason | OAuthRefusal, options?: ErrorOptions) {
    const isKnown = typeof reason === 'string';
    super(isKnown ? reason : reason.reason, options);
    this.reason = this.message;
    const { code, description } = isKnown ? oauthErrorTexts[reason] : reason;
    this.code = code;
    this.description = description;
    this.outcome = (isKnown ? undefined : reason.outcome) ?? this.code;
    this.status = this.code === 'invalid_client' ? 401 : 400;
  }
}
