import type { ClaimCondition } from '../../../core/client/claim-condition.ts';
import type { ProviderChoices } from '../../../core/management/providers/provider-choices.ts';
import type { RefusalReason } from '../../../core/verifier/bearer-refusal.ts';
import { createTestKey, type TestKey } from '../test-issuer.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** An identity provider or a platform as it is on the internet: its documents and one token. */
export interface Platform {
  readonly name: string;
  /** The discovery document, with every member that the real one has. */
  readonly document: Claims & { readonly issuer: string; readonly jwks_uri: string };
  /** Where people find the document, if that is not below the issuer. */
  readonly discoveryUrl?: string;
  /** Members of the key in the JWKS, as the platform publishes it. */
  readonly jwk: (key: TestKey) => Claims;
  readonly alg: 'RS256' | 'ES256' | 'ES384';
  /** `typ` of the header; undefined if there is none. */
  readonly typ: string | undefined;
  /** Claims of a token of a workload, without the times. */
  readonly claims: Claims;
  /** What an operator registers. */
  readonly choices: ProviderChoices;
  readonly client: {
    readonly externalClientId: string;
    readonly audiences: readonly string[];
    readonly requiredClaims?: readonly ClaimCondition[];
  };
  /** How a token differs that the platform issues for a person through the same application. */
  readonly person?: {
    readonly claims: Claims;
    readonly rule: readonly [claim: string, value: string];
  };
  /** Tokens of the same platform that are not the client's, with the rule that refuses them. */
  readonly refused: readonly (readonly [what: string, claims: Claims, RefusalReason])[];
}

/** A platform that gives a workload a token of its own. */
export interface Workload extends Platform {
  /** Pages that show the claims and the documents, and when they were read. */
  readonly source: { readonly pages: readonly string[]; readonly read: string };
  /** Parts of this copy that none of the pages shows. */
  readonly notShown: readonly string[];
  /** Seconds from `iat` to `exp`, and from `nbf` to `iat` if there is `nbf`. */
  readonly times: { readonly life: number; readonly notBefore?: number };
}

export const keys: Readonly<Record<Platform['alg'], TestKey>> = {
  RS256: createTestKey('RS256'),
  ES256: createTestKey('ES256'),
  ES384: createTestKey('ES384'),
};

/** The public part of a key without `alg` and `use`, as some platforms publish it. */
export function bareJwk({ jwk }: TestKey): Claims {
  const { alg: _, use: __, ...bare } = jwk as unknown as Record<string, unknown>;
  return bare;
}
