import type * as v from 'valibot';
import { secondsPerDay } from '../../contract/limits.ts';
import type { importedClient } from '../../contract/management/inputs.ts';
import { deriveImportedClientId } from '../client/provider-client-id.ts';
import { hashSecret } from '../credential/secret-hash.ts';
import { RefusedError } from '../errors.ts';
import { requireEveryTrunkGroup } from './caller-reach.ts';
import { ownedClients } from './clients.ts';
import {
  type CreatedClient,
  isSameRequest,
  prepareClient,
  withoutOldTokens,
} from './create-client.ts';
import { createOnce } from './idempotency.ts';
import { currentTime, type ManagementContext, newId } from './management-context.ts';

/**
 * Creates a client with its id and its secret of before. No customer may take the id of another's
 * client first, so a caller who is limited to trunk groups imports none.
 */
export async function importClient(
  context: ManagementContext,
  input: v.InferOutput<typeof importedClient>,
): Promise<CreatedClient> {
  requireEveryTrunkGroup(context, 'An import');
  const { config, clients } = context;
  if (config.clientImport === undefined) {
    throw new RefusedError('no client can be imported: the config has no clientImport');
  }
  const { formerId, secret: value, checkOnly, ...fields } = input;
  const createdAt = currentTime(context);
  const hash = hashSecret(value);
  const secret = {
    secretId: newId(context, 'secret'),
    hash,
    name: 'Imported',
    createdAt,
    expiresAt: createdAt + config.clientImport.maxLifetimeDays * secondsPerDay,
    imported: true,
  } as const;
  const clientId = deriveImportedClientId(formerId);
  const { asGiven } = await prepareClient(context, fields);
  const built = { ...asGiven, clientId, formerId, secrets: [secret] };
  const findEarlier = async () => {
    const stored = await clients.find(clientId);
    if (stored === undefined) return undefined;
    const hasSecret = stored.secrets.some((one) => one.imported && one.hash === hash);
    if (hasSecret && isSameRequest(stored, built)) return { client: stored, existed: true };
    throw new RefusedError(
      `the client ${JSON.stringify(formerId)} was imported before, with another secret or other values: ${clientId}`,
    );
  };
  return createOnce<CreatedClient>(findEarlier, async () => {
    const client = withoutOldTokens(context, built);
    if (checkOnly !== true) await ownedClients.create(context, client);
    return { client, existed: false };
  });
}
