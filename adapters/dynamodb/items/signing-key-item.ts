import * as v from 'valibot';
import { regionIds } from '../../../contract/regions.ts';
import { algs, signingAlgorithms } from '../../../contract/signing-algorithms.ts';
import { signingKeyRecordTypes, signingKeyStates } from '../../../contract/tables.ts';
import { epochSeconds, type Item, partitionItem, partitionReader, version } from './item.ts';

/** base64url of the largest public key, that of ML-DSA-87, has 3,456 characters. */
const base64url = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/), v.maxLength(4096));
/** An RFC 7638 SHA-256 thumbprint. */
const kid = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/));
const common = { kid, alg: v.picklist(algs), use: v.literal('sig') };

export const publicJwkSchema = v.pipe(
  v.variant('kty', [
    v.strictObject({ ...common, kty: v.literal('RSA'), n: base64url, e: base64url }),
    v.strictObject({
      ...common,
      kty: v.literal('EC'),
      crv: v.picklist(['P-256', 'P-384']),
      x: base64url,
      y: base64url,
    }),
    v.strictObject({ ...common, kty: v.literal('AKP'), pub: base64url }),
  ]),
  v.check((jwk) => {
    const { kty, crv } = signingAlgorithms[jwk.alg];
    return jwk.kty === kty && (jwk.kty !== 'EC' || jwk.crv === crv);
  }, 'a key that alg may use'),
);

export const kmsKeyArn = v.pipe(
  v.string(),
  v.regex(/^arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]{1,64}$/),
);

const signingKeys = {
  recordType: signingKeyRecordTypes.key,
  idName: 'kid',
  id: kid,
  noun: 'signing key',
  entries: {
    region_id: v.picklist(regionIds),
    alg: v.picklist(algs),
    kms_key_arn: kmsKeyArn,
    public_jwk: publicJwkSchema,
    state: v.picklist(signingKeyStates),
    published_at: epochSeconds,
    seen_at: v.optional(epochSeconds),
    proved_at: v.optional(epochSeconds),
    activated_at: v.optional(epochSeconds),
    retired_at: v.optional(epochSeconds),
    withdraw_at: v.optional(epochSeconds),
    withdrawn_at: v.optional(epochSeconds),
    disable_at: v.optional(epochSeconds),
    disabled_at: v.optional(epochSeconds),
    deletion_scheduled_at: v.optional(epochSeconds),
    version,
  },
  check: [
    ({ record_id, alg, public_jwk }: Item) => {
      const jwk = public_jwk as v.InferOutput<typeof publicJwkSchema>;
      return jwk.kid === record_id && jwk.alg === alg;
    },
    'a public_jwk of this kid and alg',
  ],
} as const;

/** Of the functions that only read them. */
export const signingKeyReader = partitionReader(signingKeys);

export const signingKeyItem = /* @__PURE__ */ partitionItem(signingKeys);
