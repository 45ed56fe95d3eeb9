/** `typ` of access tokens: RFC 9068 §2.1's, or RFC 7519 §5.1's for libraries that refuse others. */
export const accessTokenTypes = ['at+jwt', 'JWT'] as const;

export type AccessTokenType = (typeof accessTokenTypes)[number];

export const defaultAccessTokenType: AccessTokenType = 'at+jwt';

export function isAccessTokenType(value: unknown): value is AccessTokenType {
  return accessTokenTypes.some((type) => type === value);
}
