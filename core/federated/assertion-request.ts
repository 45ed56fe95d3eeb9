import { maxAssertionFormBytes } from '../../contract/bounds.ts';
import type { AssertionForm } from '../../contract/management/questions.ts';
import { OAuthError, type OAuthErrorCode, type OAuthRefusal } from '../oauth-error.ts';
import { jwtBearerGrantType } from '../token/capabilities.ts';
import {
  type AudienceParameter,
  assertFormContentType,
  assertNoRepetition,
  bodyOnly,
  type Form,
  parseForm,
  parseScope,
  readResource,
  type TokenRequest,
  valueOf,
} from '../token/token-parameters.ts';

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Outcome of refused assertions in log and metrics. No alarm of the platform counts it. */
const refusedOutcome = 'assertion_refused';

/** RFC 7521 §4.1.1, §4.2.1. One text for each form, so a response reveals nothing about the client. */
const refusedAssertion: Readonly<Record<AssertionForm, readonly [OAuthErrorCode, string]>> = {
  client_assertion: ['invalid_client', 'client authentication failed'],
  jwt_bearer: ['invalid_grant', 'the assertion is not accepted'],
};

const basicOrAssertion =
  'the client must authenticate with HTTP Basic (client_secret_basic) or an assertion (private_key_jwt)';

const texts = {
  several_authentications: ['invalid_request', 'the client must authenticate in one way'],
  grant_type: [
    'unsupported_grant_type',
    `grant_type must be client_credentials or ${jwtBearerGrantType}`,
  ],
  no_authentication: ['invalid_client', basicOrAssertion],
  authentication_method: ['invalid_client', basicOrAssertion],
  no_assertion: ['invalid_request', 'assertion is missing'],
  no_client_assertion: ['invalid_request', 'client_assertion is missing'],
  client_id_mismatch: ['invalid_request', 'client_id must be the client that signed the assertion'],
  assertion_type: ['invalid_request', `client_assertion_type must be ${assertionType}`],
} as const satisfies Record<string, readonly [OAuthErrorCode, string]>;

/** A request with an assertion that is refused. It says nothing of what the assertion holds. */
export class AssertionRefusal extends Error implements OAuthRefusal {
  override readonly name = 'AssertionRefusal';
  readonly reason: string;
  readonly code: OAuthErrorCode;
  readonly description: string;
  readonly outcome: string;

  /** @param form of an assertion that is refused for `reason`, which is for the log. */
  constructor(reason: string, form?: AssertionForm, options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
    [this.code, this.description] =
      form === undefined ? texts[reason as keyof typeof texts] : refusedAssertion[form];
    // Times are checked before any record is read. A client whose clock is ahead cannot see why else.
    if (reason === 'token_not_yet_valid') this.description = 'the assertion is not valid yet';
    this.outcome = form === undefined ? this.code : refusedOutcome;
  }
}

function refuseForm(reason: keyof typeof texts): AssertionRefusal {
  return new AssertionRefusal(reason);
}

/** What a request with an assertion says. Its content is untrusted. */
export interface AssertionRequest {
  readonly form: AssertionForm;
  readonly assertion: string;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly resource: string | undefined;
}

/** RFC 6749 §2.3: a client must not use more than one method in each request. */
function assertOneMethod(form: Form, { authorizations }: TokenRequest): void {
  const methods = [
    authorizations.length > 0,
    valueOf(form, 'assertion'),
    valueOf(form, 'client_assertion') ?? valueOf(form, 'client_assertion_type'),
    valueOf(form, 'client_secret'),
  ];
  if (methods.filter(Boolean).length > 1) throw refuseForm('several_authentications');
}

/** Which requests a deployment accepts in addition to those with a secret. */
export interface AssertionChoices {
  /** False: no assertions of registered providers, and so no grant of theirs. */
  readonly providers?: false | undefined;
  /** Whether no secret authenticates a client. */
  readonly keysOnly?: boolean | undefined;
  readonly audienceParameter?: AudienceParameter;
}

function readAssertionOf(
  form: Form,
  { providers, keysOnly }: AssertionChoices,
): Pick<AssertionRequest, 'form' | 'assertion'> {
  const grantType = valueOf(form, 'grant_type');
  if (grantType === undefined) throw new OAuthError('no_grant_type');
  if (grantType !== 'client_credentials' && providers === false) throw new OAuthError('grant_type');
  const ways = keysOnly === true ? new OAuthError('keys_only') : undefined;
  if (valueOf(form, 'client_secret') !== undefined)
    throw ways ?? refuseForm('authentication_method');
  const assertion = valueOf(form, 'assertion');
  const clientAssertion = valueOf(form, 'client_assertion');
  const type = valueOf(form, 'client_assertion_type');
  if (grantType === jwtBearerGrantType) {
    if (clientAssertion !== undefined || type !== undefined) {
      throw refuseForm('several_authentications');
    }
    if (assertion === undefined) throw refuseForm('no_assertion');
    return { form: 'jwt_bearer', assertion };
  }
  if (grantType !== 'client_credentials') throw refuseForm('grant_type');
  if (assertion !== undefined) throw refuseForm('authentication_method');
  if (clientAssertion === undefined) {
    throw type === undefined
      ? (ways ?? refuseForm('no_authentication'))
      : refuseForm('no_client_assertion');
  }
  if (type !== assertionType) throw refuseForm('assertion_type');
  return { form: 'client_assertion', assertion: clientAssertion };
}

/**
 * Reads a request with an assertion (RFC 7521 §4.1, §4.2), or says how a client may authenticate.
 *
 * @throws {AssertionRefusal} and the `OAuthError` of forms, scopes and resources.
 */
export function readAssertionRequest(
  request: TokenRequest,
  choices: AssertionChoices = {},
): AssertionRequest {
  if (request.queryNames.some((name) => bodyOnly.has(name) || name === 'assertion')) {
    throw new OAuthError('parameter_in_query');
  }
  assertFormContentType(request.contentTypes);
  const form = parseForm(request.body, maxAssertionFormBytes);
  assertNoRepetition(form);
  assertOneMethod(form, request);
  return {
    ...readAssertionOf(form, choices),
    clientId: valueOf(form, 'client_id'),
    scopes: parseScope(valueOf(form, 'scope')),
    resource: readResource(form, request, choices.audienceParameter),
  };
}
