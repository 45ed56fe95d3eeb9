import type { Client } from '../client/client.ts';
import { writeClient } from './change-client.ts';
import { findClient } from './find-client.ts';
import { checkVersion, type IfVersion } from './if-version.ts';
import { awsTimeOf, clockAllowance, type ManagementContext } from './management-context.ts';

/**
 * Revokes every token of a client that was issued before the call. Only checks that look up clients
 * refuse them; providers' clients are always looked up.
 *
 * `iat` has whole seconds, so the first second that is accepted begins after the call. The record
 * changes when that second is over, about four seconds later: each token that is issued after the
 * change is accepted.
 *
 * @throws {ConflictError} if the client was changed in the meantime.
 * @throws {UnavailableError} if DynamoDB does not answer.
 */
export async function revokeClientTokens(
  context: ManagementContext,
  clientId: string,
  { ifVersion }: IfVersion = {},
): Promise<Client> {
  const before = await findClient(context, clientId);
  checkVersion(`the client ${before.clientId}`, ifVersion, before.version);
  const { earliest, latest } = awsTimeOf(context);
  const cutOff = Math.floor(latest / 1000) + clockAllowance + 1;
  await context.wait((cutOff + clockAllowance) * 1000 - earliest);
  // An earlier revocation counts if its time is later: AWS's time may have been set back.
  const tokensNotBefore = Math.max(cutOff, before.tokensNotBefore ?? 0);
  return writeClient(context, before, 'client.revoke_tokens', { tokensNotBefore });
}
