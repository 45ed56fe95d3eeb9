import type { ClientSecret } from './client.ts';

/**
 * A secret is flagged when it has fewer seconds left than this. Four weeks is longer than most
 * release cycles, so a new secret can be rolled out before the old one ends.
 */
export const expiringSoon = 28 * 86_400;

export type SecretStatus = 'active' | 'expires_soon' | 'expired';

export function secretStatus(secret: ClientSecret, now: number): SecretStatus {
  if (secret.expiresAt === undefined || secret.expiresAt - now > expiringSoon) return 'active';
  return secret.expiresAt > now ? 'expires_soon' : 'expired';
}
