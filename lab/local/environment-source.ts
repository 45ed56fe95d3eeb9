import { addressesOf } from '../../contract/addresses.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { roleName } from '../../contract/function-names.ts';
import type { SettingsSource } from '../../contract/function-settings.ts';
import { kmsKeyPolicy } from '../../contract/kms-key.ts';
import type { RegionId } from '../../contract/regions.ts';
import { localAccountId } from '../emulator/kms/kms-key.ts';
import { servedRegion } from './local-deployment.ts';

/** The inputs of the functions' environments, as the stack has them at deployment. */
export function describeEnvironments(
  config: DeploymentConfig,
  issuer: string,
  regionId: RegionId = servedRegion(config).id,
): SettingsSource {
  const principal = (name: string): string => `arn:aws:iam::${localAccountId}:${name}`;
  const role = (name: 'token' | 'canary' | 'key-rotation'): string =>
    principal(`role/${roleName(config.name, regionId, name)}`);
  return {
    config,
    regionId,
    addresses: addressesOf(config, issuer),
    kmsKeyPolicy: kmsKeyPolicy({
      account: principal('root'),
      rotationRole: role('key-rotation'),
      signingRoles: [role('token'), role('canary')],
    }),
  };
}
