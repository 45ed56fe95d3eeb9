import type { OperationInput, OperationResult } from '../../../contract/management/operations.ts';
import { ConflictError, RefusedError } from '../../errors.ts';
import { hasGivenKeys, nextKeys, versionOf } from '../../identity-provider/given-keys.ts';
import {
  hasOwner,
  type IdentityProvider,
  ownedBy,
} from '../../identity-provider/identity-provider.ts';
import { checkOwnKeySet, lintKeySet } from '../../identity-provider/key-lint.ts';
import { isProviderAlg } from '../../identity-provider/provider-algorithms.ts';
import { parseJsonObject } from '../../verifier/json-object.ts';
import { requireIssuerGrant } from '../grants/require-grant.ts';
import { checkVersion } from '../if-version.ts';
import {
  currentTime,
  type ManagementContext,
  makeAuditedChange,
  newId,
} from '../management-context.ts';
import { keepIfAllowed } from '../owned-records.ts';
import { requireRunning } from '../trunk-group-limits/require-running.ts';
import { findProvider } from './identity-providers.ts';
import { checkDiscoveryUrl, checkNotOurs, examineProvider, nameGiven } from './inspect-provider.ts';
import { checkClaimName } from './provider-choices.ts';
import { findNewOwners } from './provider-ownership.ts';
import { showOwner, viewIdentityProvider } from './provider-reach.ts';

type RegisterOptions = OperationInput<'registerProvider', 'options'>;

function checkUnchanged(
  provider: IdentityProvider,
  seen: Pick<RegisterOptions, 'ifIssuer' | 'ifJwksUri'>,
): void {
  const { ifIssuer = provider.issuer, ifJwksUri = provider.jwksUri } = seen;
  if (ifIssuer === provider.issuer && ifJwksUri === provider.jwksUri) return;
  throw new ConflictError(
    `the discovery document was changed in the meantime: its issuer is now ${provider.issuer}, its JWKS URI ${provider.jwksUri}`,
  );
}

/** It can keep its registration waiting while its grant goes to another, or its trunk group is stopped. */
async function createWhileGranted(
  context: ManagementContext,
  provider: IdentityProvider,
  trunkGroups: readonly string[],
): Promise<void> {
  const { identityProviders } = context;
  const { issuer, registrationId } = provider;
  await identityProviders.createIdentityProvider(provider);
  const check = async () => {
    await requireRunning(context, trunkGroups);
    await requireIssuerGrant(context, issuer, trunkGroups);
  };
  const undo = () => identityProviders.deleteIdentityProvider(issuer, registrationId);
  await keepIfAllowed(`delete ${issuer}`, check, undo);
}

/**
 * Replaces the keys that were given for a provider. Its registration stays as it is.
 *
 * @throws {RefusedError} if its keys are fetched, or the new ones are not sound.
 * @throws {VersionConflictError} if its keys are of another version.
 */
async function replaceKeys(
  context: ManagementContext,
  issuer: string,
  { jwks, replacesVersion }: { readonly jwks: string; readonly replacesVersion: number },
): Promise<OperationResult<'registerProvider'>> {
  nameGiven(context, issuer);
  const provider = await findProvider(context, issuer);
  if (context.trunkGroups) await requireRunning(context, provider.owner?.trunkGroups ?? []);
  if (!hasGivenKeys(provider)) {
    throw new RefusedError(
      `the keys of ${issuer} are fetched from ${provider.jwksUri}; to give them, delete the provider and register it again`,
    );
  }
  const keySet = lintKeySet(
    parseJsonObject(jwks),
    provider.allowedAlgorithms.filter(isProviderAlg),
  );
  if (hasOwner(provider)) checkOwnKeySet(keySet);
  await checkNotOurs(context, provider, keySet);
  const before = await context.identityProviders.findGivenKeys(issuer);
  checkVersion(`the keys of ${issuer}`, replacesVersion, versionOf(before, provider)?.version ?? 0);
  const keys = nextKeys(before, provider, { jwks, updatedAt: currentTime(context) });
  const shown = { ...provider, givenKeys: versionOf(keys, provider) };
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.replace_keys',
      subject: issuer,
      before: viewIdentityProvider(provider),
      after: viewIdentityProvider(shown),
    },
    () => context.identityProviders.putGivenKeys(keys),
  );
  return { provider: shown, keySet };
}

/**
 * Nothing is stored unless everything that was fetched is sound.
 *
 * @throws {ConflictError} if the document no longer says what the caller has seen.
 */
export async function registerProvider(
  context: ManagementContext,
  discoveryUrl: string,
  options: RegisterOptions = {},
): Promise<OperationResult<'registerProvider'>> {
  const { jwks, replacesVersion } = options;
  if (jwks !== undefined && replacesVersion !== undefined) {
    return replaceKeys(context, discoveryUrl, { jwks, replacesVersion });
  }
  checkClaimName(options);
  if (jwks === undefined) checkDiscoveryUrl(context, discoveryUrl);
  else nameGiven(context, discoveryUrl);
  const trunkGroups = await findNewOwners(context, options.trunkGroups, discoveryUrl);
  await requireRunning(context, trunkGroups);
  const { findings, error } = await examineProvider(context, {
    discoveryUrl,
    jwks,
    choices: options,
    trunkGroups,
  });
  if (error !== undefined) throw error;
  const { keySet, ...found } = findings;
  const now = currentTime(context);
  const provider: IdentityProvider = {
    ...found,
    registrationId: newId(context, 'registration'),
    ...(trunkGroups.length > 0 && { owned: true as const, ...ownedBy(trunkGroups) }),
    registeredAt: now,
  };
  const { issuer, registrationId } = provider;
  const owner = { registrationId, issuer, trunkGroups, version: 1, updatedAt: now };
  const keys =
    jwks === undefined
      ? undefined
      : nextKeys(await context.identityProviders.findGivenKeys(issuer), provider, {
          jwks,
          updatedAt: now,
        });
  const shown = {
    ...showOwner(context, provider, owner),
    ...(keys !== undefined && { givenKeys: versionOf(keys, provider) }),
  };
  checkUnchanged(provider, options);
  await makeAuditedChange(
    context,
    {
      action: 'identity_provider.register',
      subject: provider.issuer,
      after: viewIdentityProvider(shown),
    },
    async () => {
      // Before the provider, which without its owner is open to no one.
      if (trunkGroups.length > 0) await context.providerOwners.put(owner);
      await createWhileGranted(context, provider, trunkGroups);
      // Only the one that registered it: until then, and if this fails, none of its tokens is accepted.
      if (keys !== undefined) await context.identityProviders.putGivenKeys(keys);
    },
  );
  return { provider: shown, keySet };
}
