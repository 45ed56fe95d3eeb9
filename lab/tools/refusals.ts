import { OAuthError, type OAuthErrorReason, oauthErrorTexts } from '../../core/oauth-error.ts';
import { BearerRefusal, type RefusalReason } from '../../core/verifier/bearer-refusal.ts';
import { formatColumns, writeParts } from '../support/generated-parts.ts';

/*
 * `node lab/tools/refusals.ts` writes docs/refusals.md: each reason with what the caller sees and
 * what ends it.
 */

const useBasic =
  'Send the id and the secret in the header `Authorization: Basic`, with the first request. [Libraries](interop.md#token-clients) has the setting of each client.';
const sendOnce = 'Send it once.';

/** What ends the refusal of a token request. */
const ofTokenRequests: Readonly<Record<OAuthErrorReason, string>> = {
  content_type: 'Send a form, not JSON: `-d grant_type=client_credentials` in curl.',
  body_too_large: 'Send only `grant_type`, `scope` and `resource`.',
  body_encoding: 'Encode each value for a form (`encodeURIComponent`, `urllib.parse.urlencode`).',
  too_many_parameters: 'Send only `grant_type`, `scope` and `resource`.',
  repeated_parameter: sendOnce,
  parameter_in_query: 'Move the parameters from the URL to the body: URLs are logged.',
  no_grant_type: 'Send `grant_type=client_credentials`.',
  grant_type: 'Send `grant_type=client_credentials`: there are no users and no refresh tokens.',
  authorization_too_large: 'Send an id and a secret that `authctl` printed, nothing else.',
  repeated_authorization: sendOnce,
  several_authentications:
    'Leave `client_secret` and `client_assertion` out of the body, and keep the header.',
  client_id_mismatch: 'Leave `client_id` out of the body, or send that of the header.',
  no_authentication: useBasic,
  authentication_method: useBasic,
  keys_only:
    'Send a `client_assertion`: [a key in place of a secret](keyless.md#a-key-in-place-of-a-secret).',
  authentication_scheme: useBasic,
  malformed_credentials:
    'Encode `id:secret` as Base64, without a line break; most HTTP clients do it (`curl -u`).',
  blank_around_credentials: 'Use `printf %s`, not `echo`, and `tr -d "\\n"` for a stored secret.',
  unknown_client:
    'Check that the id is from this deployment: `authctl client show ID`. When a client is deleted, it does not come back.',
  wrong_secret:
    'Send the secret as it was shown. If it is lost, create another one: `authctl client-secret create ID`.',
  no_secret: '`authctl client-secret create ID`.',
  secret_expired: '`authctl client-secret rotate ID`, and give the new secret to the client.',
  secret_disabled: 'Use another secret of the client, or enable this one if it has not leaked.',
  client_disabled: '`authctl client enable ID`, after you know why it was disabled.',
  provider_client: 'Get the token from the client’s own [identity provider](providers.md).',
  scope_syntax: 'Separate scopes by one space; without `scope`, the token has all of the client.',
  scope_not_granted:
    'Ask for fewer scopes (`authctl client show ID` lists those granted), or grant it: `authctl client update ID --add-scope SCOPE` adds one, `--scope` replaces all.',
  client_without_scopes: 'Grant one: `authctl client update ID --add-scope SCOPE`.',
  audience_parameter:
    'Send `resource` instead, or nothing; or set `audienceParameter` to `resource`.',
  repeated_resource: sendOnce,
  resource_syntax: 'Send an absolute URI without `#`, or leave `resource` out.',
  resource_not_allowed: 'Send one of the client’s audiences, or leave `resource` out.',
};

const anotherToken = 'Get a new token, and send it unchanged.';
const anotherKey = 'Send the API key as it was shown. If it is lost, create another one.';

/** What ends the refusal of a platform API. */
const ofPlatformApis: Readonly<Record<RefusalReason, string>> = {
  no_credential: 'Send `Authorization: Bearer` (or `DPoP`) and a token or an API key.',
  authorization_repeated: sendOnce,
  headers_dropped: 'Send fewer headers.',
  authorization_malformed: 'Send `Bearer`, one space and the token, without quotes or line breaks.',
  token_too_long: anotherToken,
  token_malformed: `${anotherToken} An ID token or an opaque token is not accepted.`,
  token_type_not_allowed:
    'Send the access token, not the ID token. For a library that makes `JWT`, see [tokens of the type JWT](platform-api.md#tokens-of-the-type-jwt).',
  token_algorithm_not_allowed: anotherToken,
  token_critical_header: anotherToken,
  token_key_id_missing: anotherToken,
  token_claims_malformed: '`authctl explain request` names the claim.',
  token_expired:
    'Get a new token shortly before `expires_in` ends, not when a call fails; compare the clocks.',
  token_not_yet_valid: 'Compare the clocks of the issuer and the API when the token was issued.',
  token_lifetime_too_long: 'Let the provider issue tokens with a shorter life.',
  token_audience_not_allowed:
    'Ask for a token with the audience of this API (`resource`), or give the client the audience.',
  token_key_unknown:
    'Get a new token. If it stays, the verifier cannot fetch the JWKS, or the token is from another deployment.',
  token_signature_wrong: anotherToken,
  issuer_unknown:
    'Get the token from this deployment, or register the [identity provider](providers.md).',
  client_unknown: 'Create the client under the provider: `authctl client create`.',
  client_disabled: '`authctl client enable ID`, after you know why it was disabled.',
  token_revoked:
    'Get a token from after the creation of the client, and after its tokens were last revoked.',
  client_condition_unmet: '`authctl explain request` names the claim and the value expected.',
  api_key_malformed: anotherKey,
  api_key_not_accepted: 'Call with a token, or let the verifier accept API keys.',
  api_key_unknown: `${anotherKey} When a key is deleted, it does not come back.`,
  api_key_wrong: anotherKey,
  api_key_disabled: '`authctl api-key enable ID`, after you know why it was disabled.',
  api_key_expired: 'Create another key: one that has expired cannot be extended.',
  api_key_source_refused: 'Call from one of the key’s subnets, or add the subnet to the key.',
  api_key_scope_missing: 'Add the scope: `authctl api-key update ID --scope …` names all of them.',
  token_confirmation_unknown:
    'Get a token that is bound to a key by DPoP, or to none. Bindings to certificates are not known here.',
  token_bound:
    'Send `Authorization: DPoP`, the token, and a proof in the header `DPoP` (RFC 9449 §7.1).',
  token_not_bound: 'Send the token or API key as `Authorization: Bearer`, without a proof.',
  token_binding_required: 'Get a token with a proof, for a key of yours.',
  proof_not_checkable:
    'Set `dpop` of the verifier, with `--dpop-origin` of forward-auth, or a `resultCacheTtl` of 0: [bound tokens](platform-api.md#tokens-that-are-bound-to-a-key).',
  proof_missing: 'Send one header `DPoP` with each request.',
  proof_invalid:
    'The log of the verifier names the part: `htm`, `htu`, `iat`, `nbf`, `exp`, `ath`, `jti`, `jwk`, `alg` or the signature.',
  proof_not_yet_valid:
    'Compare the clock of the client: its `iat` or `nbf` is over a minute ahead.',
  proof_key_wrong: 'Sign proofs with the key with which the token was fetched.',
  proof_replayed: 'Make a new proof for each request, also when it is repeated.',
  proof_limit_reached: 'Send fewer requests, or spread them over more processes.',
  proof_nonce_missing: 'Repeat the request with the `nonce` of the header `DPoP-Nonce`.',
  record_malformed: 'Look into the log of the verifier: the stored record is damaged or newer.',
  insufficient_scope: 'Get a token with the scope that the response names.',
};

/** Every reason of a platform API. */
export const apiReasons = Object.keys(ofPlatformApis) as readonly RefusalReason[];

interface Shown {
  readonly status: number;
  readonly code: string | undefined;
  readonly description: string | undefined;
}

/** A reason of docs/refusals.md. */
interface Entry {
  readonly name: string;
  /** The heading: the name, with more if both parts have one. */
  readonly title: string;
  readonly shown: Shown;
  /** What ends it. */
  readonly end: string;
}

function formatCode({ status, code }: Shown): string {
  return [status, ...(code === undefined ? [] : [`\`${code}\``])].join(' ');
}

function formatReason({ title, shown, end }: Entry): string {
  const wire = formatCode(shown);
  const answer = shown.description === undefined ? wire : `${wire}, “${shown.description}”`;
  return `### ${title}\n\n${answer}. ${end}`;
}

function byName(a: Entry, b: Entry): number {
  return a.name < b.name ? -1 : 1;
}

/** Links to the reasons, by what the caller sees. */
function formatOverview(parts: Readonly<Record<string, readonly Entry[]>>): string {
  const link = (title: string) =>
    `[${title}](#${title.toLowerCase().replaceAll(' ', '-').replaceAll(/[()]/g, '')})`;
  const rows = Object.entries(parts).flatMap(([from, entries]) => {
    const byCode = Map.groupBy(entries, ({ shown }) => formatCode(shown));
    return [...byCode]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, same]) => ({ from, code, links: same.map(({ title }) => link(title)) }));
  });
  return formatColumns(rows, {
    from: ({ from }) => from,
    'the caller sees': ({ code }) => code,
    reasons: ({ links }) => links.join(', '),
  });
}

/** The parts of docs/refusals.md. */
export function computeRefusals(): Readonly<Record<string, string>> {
  const token = (Object.keys(oauthErrorTexts) as readonly OAuthErrorReason[])
    .map((name) => ({
      name,
      title: name,
      shown: new OAuthError(name),
      end: ofTokenRequests[name],
    }))
    .sort(byName);
  const api = apiReasons
    .map((name) => ({
      name,
      title: Object.hasOwn(ofTokenRequests, name) ? `${name} (platform API)` : name,
      shown: new BearerRefusal(name),
      end: ofPlatformApis[name],
    }))
    .sort(byName);
  return {
    overview: formatOverview({ 'token endpoint': token, 'platform API': api }),
    token: token.map(formatReason).join('\n\n'),
    api: api.map(formatReason).join('\n\n'),
  };
}

if (import.meta.main) {
  const parts = computeRefusals();
  writeParts(['refusals.md'], parts);
  const reasons = Object.values(parts).join('\n').match(/^### /gm)?.length;
  process.stdout.write(`${reasons} reasons of refusal\n`);
}
