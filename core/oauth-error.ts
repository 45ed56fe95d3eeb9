/** The error codes of RFC 6749 §5.2, RFC 8707 §2 and RFC 9449 §5 that the token endpoint sends. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_dpop_proof';

type ErrorText = readonly [code: OAuthErrorCode, description: string];

/** One text for every failure, so a response reveals nothing about the client. */
const authenticationFailed: ErrorText = ['invalid_client', 'client authentication failed'];

const onlyBasic: ErrorText = [
  'invalid_client',
  'the client must authenticate with HTTP Basic (client_secret_basic)',
];

/**
 * Why a token request is refused. The reason is for logs; code and description go to the client.
 * All are fixed texts, so nothing from a request can be returned or logged.
 */
export const oauthErrorTexts = {
  content_type: ['invalid_request', 'the Content-Type must be application/x-www-form-urlencoded'],
  body_too_large: ['invalid_request', 'the request body is too large'],
  body_encoding: ['invalid_request', 'the request body is not valid form encoding'],
  too_many_parameters: ['invalid_request', 'the request body has too many parameters'],
  repeated_parameter: ['invalid_request', 'a parameter must not be repeated'],
  parameter_in_query: [
    'invalid_request',
    'parameters must be in the request body, not in the query',
  ],
  no_grant_type: ['invalid_request', 'grant_type is missing'],
  grant_type: ['unsupported_grant_type', 'grant_type must be client_credentials'],

  authorization_too_large: ['invalid_request', 'the Authorization header is too large'],
  repeated_authorization: ['invalid_request', 'there must be one Authorization header'],
  several_authentications: [
    'invalid_request',
    'the client must authenticate in one way, only with HTTP Basic',
  ],
  client_id_mismatch: [
    'invalid_request',
    'client_id must be the same in the request body and in the Authorization header',
  ],
  no_authentication: onlyBasic,
  authentication_method: onlyBasic,
  keys_only: ['invalid_client', 'the client must authenticate with private_key_jwt'],
  authentication_scheme: authenticationFailed,
  malformed_credentials: authenticationFailed,
  blank_around_credentials: [
    'invalid_client',
    'a blank or a line break is before or after the id or the secret',
  ],
  unknown_client: authenticationFailed,
  wrong_secret: authenticationFailed,
  no_secret: authenticationFailed,
  secret_expired: authenticationFailed,
  secret_disabled: authenticationFailed,
  client_disabled: authenticationFailed,
  provider_client: authenticationFailed,

  scope_syntax: ['invalid_scope', 'scope must be scope tokens, each separated by one space'],
  scope_not_granted: ['invalid_scope', 'the client may not have a scope that it asks for'],
  client_without_scopes: ['invalid_scope', 'the client has no scopes'],
  audience_parameter: ['invalid_request', 'audience is not supported: name the API with resource'],
  repeated_resource: ['invalid_target', 'there must be one resource'],
  resource_syntax: ['invalid_target', 'resource must be an absolute URI without a fragment'],
  resource_not_allowed: ['invalid_target', 'the client may not ask for this resource'],
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
    [this.code, this.description] = isKnown
      ? oauthErrorTexts[reason]
      : [reason.code, reason.description];
    this.outcome = (isKnown ? undefined : reason.outcome) ?? this.code;
    this.status = this.code === 'invalid_client' ? 401 : 400;
  }
}
