import type { AccessTokenType } from '../../contract/access-token-type.ts';
import {
  type DeploymentConfig,
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import type { OnLookupFailure } from '../../contract/revocation-check.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicyInput } from '../../contract/signing-key-policy.ts';
import { localRegion } from '../emulator/local-region.ts';

export interface LocalDeployment {
  readonly input: DeploymentConfigInput;
  readonly config: DeploymentConfig;
}

const scopes = ['messaging', 'calls', 'numbers'].flatMap((service) => [
  { service, permission: 'view', description: `Read ${service}` },
  { service, permission: 'manage', description: `Change ${service}` },
]);

/** Settings of a local run. The defaults are those of a deployment. Times are seconds. */
export interface LocalDeploymentOptions {
  /** The first signs. Operators can change to the others. */
  readonly signingAlgorithms?: readonly Alg[] | undefined;
  readonly signingKeyPolicy?: SigningKeyPolicyInput | undefined;
  readonly maxTokenLifetime?: number | undefined;
  readonly tokenReuse?: DeploymentConfigInput['tokenReuse'];
  readonly accessTokenType?: AccessTokenType | undefined;
  readonly authorizationEndpoint?: boolean | undefined;
  /** Of the example API: whether it looks up the clients of own tokens. No part of a config. */
  readonly checkRevocation?: OnLookupFailure | undefined;
}

/** The deployment config of the local run: one region, no domain, loopback as the issuer. */
export function buildLocalDeployment(
  issuer: string,
  options: LocalDeploymentOptions = {},
): LocalDeployment {
  const { signingAlgorithms, signingKeyPolicy, maxTokenLifetime: maximum, tokenReuse } = options;
  const { accessTokenType, authorizationEndpoint } = options;
  const input: DeploymentConfigInput = {
    name: 'local',
    issuer,
    regions: { [localRegion.id]: { awsRegion: localRegion.awsRegion } },
    defaultAudience: 'https://api.example.com',
    scopes,
    ...(signingAlgorithms !== undefined && { signingAlgorithms: [...signingAlgorithms] }),
    ...(signingKeyPolicy !== undefined && { signingKeyPolicy }),
    ...(tokenReuse !== undefined && { tokenReuse }),
    ...(accessTokenType !== undefined && { accessTokenType }),
    ...(authorizationEndpoint === true && { authorizationEndpoint }),
    ...(maximum !== undefined && { tokenLifetime: { default: maximum, minimum: 1, maximum } }),
  };
  return { input, config: parseDeploymentConfig(input, { allowLoopbackIssuer: true }) };
}
