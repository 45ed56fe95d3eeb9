import * as v from 'valibot';
import { list } from './fields.ts';

/** What the operations about identity providers return. */

const text = v.string();
const optionalText = v.optional(text);
const time = v.number();

export const provider = v.object({
  issuer: text,
  registrationId: text,
  discoveryUrl: text,
  jwksUri: text,
  allowedAlgorithms: list(text),
  clientIdClaim: optionalText,
  audienceFrom: v.optional(v.literal('scope')),
  clientPatterns: v.optional(v.literal(true)),
  registeredAt: time,
  owner: v.optional(
    v.object({
      trunkGroups: list(text),
      others: v.optional(v.literal(true)),
      version: v.number(),
    }),
  ),
});

/** Public members only (RFC 7517 §4): the library's lint refuses a key with others. */
const providerKey = v.object({
  kid: text,
  alg: text,
  kty: v.picklist(['RSA', 'EC', 'OKP', 'AKP']),
  n: optionalText,
  e: optionalText,
  crv: optionalText,
  x: optionalText,
  y: optionalText,
  pub: optionalText,
});

const keySet = v.object({
  keys: list(providerKey),
  skipped: list(v.object({ kid: text, reason: text })),
});

export const registeredProvider = v.object({ provider, keySet });

export const providerKeys = v.union([v.object({ keySet }), v.object({ problem: text })]);

export const finding = v.object({
  name: text,
  /** A claim has any JSON type. */
  received: v.optional(v.unknown()),
  expected: text,
  hint: optionalText,
});

const tokenInspection = v.variant('usable', [
  v.object({
    usable: v.literal(true),
    clientIdClaim: text,
    externalClientId: text,
    patterns: list(text),
    audiences: list(text),
    subject: text,
    expiresAt: time,
    otherClaims: v.record(text, text),
  }),
  v.object({
    usable: v.literal(false),
    reason: text,
    rule: text,
    finding: v.optional(finding),
  }),
]);

export const providerInspection = v.object({
  discoveryUrl: optionalText,
  issuer: optionalText,
  jwksUri: optionalText,
  allowedAlgorithms: v.optional(list(text)),
  keySet: v.optional(keySet),
  clientIdClaim: optionalText,
  audienceFrom: v.optional(v.literal('scope')),
  clientPatterns: v.optional(v.literal(true)),
  registrable: v.boolean(),
  problem: optionalText,
  tokens: list(tokenInspection),
});
