import * as v from 'valibot';

/**
 * The call of STS by which an operator proves who asks a function: the operator signs it, the
 * function sends it. The response names the principal that AWS authenticated. Everything except the
 * signature is fixed here, so a proof cannot be used for another call.
 */
export const callerProofRequest = {
  method: 'POST',
  path: '/',
  contentType: 'application/x-www-form-urlencoded',
  body: 'Action=GetCallerIdentity&Version=2011-06-15',
} as const;

/** Header that binds the signature to what is asked; see `requestDigest`. */
export const requestDigestHeader = 'x-authorization-server-request';

/** Seconds before and after its time during which a proof is accepted. */
export const callerProofMaxAge = 300;

const namesWithoutToken = `content-type;host;x-amz-date;${requestDigestHeader}`;
const namesWithToken = `content-type;host;x-amz-date;x-amz-security-token;${requestDigestHeader}`;

const authorization = (signedHeaders: string) =>
  v.pipe(
    v.string(),
    v.regex(
      new RegExp(
        `^AWS4-HMAC-SHA256 Credential=\\w{1,128}/\\d{8}/[a-z0-9-]{1,30}/sts/aws4_request, SignedHeaders=${signedHeaders}, Signature=[0-9a-f]{64}$`,
      ),
    ),
  );

/** ISO 8601 in its basic form, `20261120T093000Z`. */
const basicTime = v.pipe(v.string(), v.regex(/^\d{8}T\d{6}Z$/));

/**
 * The part of the signed request that only its sender knows: the values of its headers. The
 * signature must cover every one of them.
 */
const callerProofSchema = v.union([
  v.strictObject({
    authorization: authorization(namesWithToken),
    date: basicTime,
    security_token: v.pipe(v.string(), v.regex(/^[\w+/=-]{1,8192}$/)),
  }),
  v.strictObject({ authorization: authorization(namesWithoutToken), date: basicTime }),
]);

export type CallerProof = Readonly<v.InferOutput<typeof callerProofSchema>>;

/** @returns undefined if the input is no proof. No error says why: a proof has a session token. */
export function parseCallerProof(input: unknown): CallerProof | undefined {
  const result = v.safeParse(callerProofSchema, input);
  return result.success ? result.output : undefined;
}
