/** Actions of the audit in words. */
const actions: ReadonlyMap<string, string> = new Map([
  ['client.create', 'Created a client'],
  ['client.update', 'Changed a client'],
  ['client.enable', 'Enabled a client'],
  ['client.disable', 'Disabled a client'],
  ['client.revoke_tokens', 'Revoked the tokens of a client'],
  ['client.delete', 'Deleted a client'],
  ['client_secret.create', 'Created a secret'],
  ['client_secret.update', 'Changed a secret'],
  ['client_secret.enable', 'Enabled a secret'],
  ['client_secret.disable', 'Disabled a secret'],
  ['client_secret.rotate', 'Rotated secrets'],
  ['client_secret.delete', 'Deleted a secret'],
  ['api_key.create', 'Created an API key'],
  ['api_key.rename', 'Renamed an API key'],
  ['api_key.enable', 'Enabled an API key'],
  ['api_key.disable', 'Disabled an API key'],
  ['api_key.delete', 'Deleted an API key'],
  ['api_key_subnet.add', 'Added a subnet'],
  ['api_key_subnet.remove', 'Removed a subnet'],
  ['identity_provider.register', 'Registered a provider'],
  ['identity_provider.delete', 'Deleted a provider'],
  ['identity_provider.set_trunk_groups', 'Changed whose a provider is'],
  ['subject_grant.set', 'Changed whose client ids at a provider are'],
  ['issuer_grant.set', 'Changed who may register an issuer'],
  ['trunk_group_limits.set', 'Set the limits of a trunk group'],
  ['signing_key.open_intent', 'Began to create a signing key'],
  ['signing_key.take_over_intent', 'Continued with a signing key'],
  ['signing_key.create_key', 'Created a signing key in KMS'],
  ['signing_key.read_public_key', 'Read the public key'],
  ['signing_key.publish', 'Published a signing key'],
  ['signing_key.close_intent', 'Finished a signing key'],
  ['signing_key.promote', 'A signing key signs'],
  ['signing_key.retire', 'A signing key stopped signing'],
  ['signing_key.withdraw', 'Withdrew a signing key'],
  ['signing_key.disable', 'Disabled a signing key'],
  ['signing_key.schedule_deletion', 'Scheduled a deletion in KMS'],
]);

/** An action in words. Another action, as of a later release, is its name. */
export function describeAction(action: string): string {
  return actions.get(action) ?? action;
}
