import { defaultAccessTokenType } from '../../contract/access-token-type.ts';
import { maxSigningInputBytes, maxTokenLifetime } from '../../contract/bounds.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import { awsRegions, partitionOf } from '../../contract/partitions.ts';
import type { Client } from '../client/client.ts';
import { idBytes } from '../credential/credential-value.ts';
import { InputError } from '../errors.ts';
import { buildAccessTokenClaims } from '../token/access-token-claims.ts';
import { effectiveAudiences } from './client-view.ts';

/** Longest issuer of a deployment without a domain: its API's own address and stage. */
const derivedIssuer = awsRegions
  .map(
    (name) =>
      `https://${'x'.repeat(10)}.execute-api.${name}.${partitionOf(name).domain}/${'x'.repeat(8)}`,
  )
  .reduce((a, b) => (b.length > a.length ? b : a));

/** The header of the longest algorithm name, and a kid (RFC 7638: 43 characters). */
const header = { alg: 'ML-DSA-87', typ: defaultAccessTokenType, kid: 'x'.repeat(43) };

function base64urlLength(value: unknown): number {
  return Math.ceil((Buffer.byteLength(JSON.stringify(value)) * 4) / 3);
}

/** Bytes of the longest signing input (RFC 7515 §5.1) that a token of this client can have. */
export function longestSigningInput(client: Client, config: ManagementConfig): number {
  const audiences = effectiveAudiences(client, config);
  const audience = audiences.reduce((a, b) => (b.length > a.length ? b : a), '');
  const claims = buildAccessTokenClaims(
    { client, scopes: client.scopes, audience, jkt: config.dpop && 'x'.repeat(43) },
    // Ten digits of seconds until the year 2286.
    { now: 9_000_000_000, random: new Uint8Array(idBytes) },
    { issuer: config.issuer ?? derivedIssuer, maxTokenLifetime },
  );
  return base64urlLength(header) + 1 + base64urlLength(claims);
}

/**
 * @throws {InputError} if a token of the client would not fit KMS and common header limits.
 */
export function checkTokenSize(client: Client, config: ManagementConfig): void {
  const bytes = longestSigningInput(client, config);
  if (bytes <= maxSigningInputBytes) return;
  throw new InputError(
    `a token would have ${bytes} bytes to sign; allowed: ${maxSigningInputBytes}. Give the client fewer scopes or a shorter audience`,
    { field: 'scopes', label: 'scope and audience' },
  );
}
