import { clientWords } from '../../contract/management/field-words.ts';
import { wireNameOf } from '../../contract/management/fields.ts';
import { plainClientFields } from '../../contract/management/inputs.ts';
import type { ManagementConfig } from '../../contract/management/management-config.ts';
import {
  type Client,
  type ClientSecret,
  describeDeclaration,
  secretStatus,
} from '../client/client.ts';
import { thumbprintOf } from '../client/client-key.ts';
import { isEnabled, viewStops } from '../stops.ts';
import { formatTime } from '../time.ts';
import { viewTyped } from '../typed-text.ts';

const timeOf = (time: number | undefined) => (time === undefined ? undefined : formatTime(time));

/** A client secret as it is shown: everything but its hash; a key by its thumbprint. */
export function viewClientSecret(
  secret: Omit<ClientSecret, 'hash'>,
  now: number,
): Record<string, unknown> {
  return {
    secret_id: secret.secretId,
    name: secret.name,
    alg: secret.alg,
    thumbprint: thumbprintOf(secret),
    status: secretStatus(secret, now),
    created_at: formatTime(secret.createdAt),
    expires_at: timeOf(secret.expiresAt),
    last_used_on: secret.lastUsedOn,
    disabled: isEnabled(secret) ? undefined : true,
    stops: viewStops(secret.stops),
    imported: secret.imported,
  };
}

/** The audiences that a client's tokens may have, the default first. */
export function effectiveAudiences(
  client: Pick<Client, 'audiences'>,
  config: ManagementConfig,
): readonly string[] {
  return client.audiences.length > 0 ? client.audiences : [config.defaultAudience];
}

/**
 * A client as it is shown, with RFC 7591 §2's names if they exist. Secrets are shown separately.
 */
export function viewClient(
  client: Omit<Client, 'secrets'>,
  config: ManagementConfig,
): Record<string, unknown> {
  return {
    client_id: client.clientId,
    name: client.name,
    service_trunk_group: client.serviceTrunkGroup,
    audience: effectiveAudiences(client, config),
    ...Object.fromEntries(
      plainClientFields.map((name) => [
        wireNameOf(name),
        viewTyped(clientWords[name].kind, client[name]),
      ]),
    ),
    scope: client.scopes.join(' '),
    enabled: isEnabled(client),
    stops: viewStops(client.stops),
    provider: client.provider?.issuer ?? config.issuer,
    external_client_id: client.provider?.externalClientId,
    required_claims: client.provider?.conditions,
    import_id: client.importId,
    declared_by: client.declared && describeDeclaration(client.declared),
    undeclared_at: timeOf(client.declared?.undeclaredAt),
    taken_over_at: timeOf(client.declared?.takenOverAt),
    last_used_on: client.lastUsedOn,
    tokens_not_before: timeOf(client.tokensNotBefore),
    created_at: formatTime(client.createdAt),
    updated_at: formatTime(client.updatedAt),
    version: client.version,
  };
}
