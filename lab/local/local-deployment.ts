import type { AccessTokenType } from '../../contract/access-token-type.ts';
import { maxScopeBytes, maxScopesPerClient } from '../../contract/bounds.ts';
import {
  type DeploymentConfig,
  type DeploymentConfigInput,
  deployedRegions,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import type { OnLookupFailure } from '../../contract/revocation-check.ts';
import { scopeName } from '../../contract/scopes.ts';
import type { Alg } from '../../contract/signing-algorithms.ts';
import type { SigningKeyPolicyInput } from '../../contract/signing-key-policy.ts';
import { localRegion } from '../emulator/local-region.ts';

export interface LocalDeployment {
  readonly input: DeploymentConfigInput & { readonly issuer: string };
  readonly config: DeploymentConfig;
  /** Scopes that the demonstration client may have. */
  readonly demoScopes: readonly string[];
}

const scopes = ['messaging', 'calls', 'numbers'].flatMap((service) => [
  { service, permission: 'view', description: `Read ${service}` },
  { service, permission: 'manage', description: `Change ${service}` },
]);

/** What runs if no config is named: one region, and more scopes than the example API needs. */
const example: DeploymentConfigInput = {
  name: 'local',
  regions: { [localRegion.id]: { awsRegion: localRegion.awsRegion } },
  defaultAudience: 'https://api.example.com',
  scopes,
  // `npm start -- --portal-login` has a member of the staff.
  management: { portalReach: { administrators: true } },
};

/** The region that a local run serves: the first of the deployment. */
export function servedRegion(config: Pick<DeploymentConfig, 'regions'>) {
  return deployedRegions(config)[0] ?? localRegion;
}

/** Scopes of the example API: the first two of the catalogue, to read and to send. */
export function exampleScopes({ scopes: all }: Pick<DeploymentConfig, 'scopes'>) {
  return all.slice(0, 2).map(scopeName);
}

/** As many scopes of the catalogue as a client may have, in its order. */
function grantableScopes({ scopes: all }: Pick<DeploymentConfig, 'scopes'>): readonly string[] {
  const names = all.map(scopeName).slice(0, maxScopesPerClient);
  while (names.join(' ').length > maxScopeBytes) names.pop();
  return names;
}

/** A deployment's config without what one machine lacks: a domain, other regions, other accounts. */
function keepLocal(input: DeploymentConfigInput): DeploymentConfigInput {
  const { id, awsRegion } = servedRegion(parseDeploymentConfig(input));
  return {
    ...input,
    regions: { [id]: { awsRegion } },
    domain: undefined,
    portal: undefined,
    // There is no stage that could throttle.
    throttles: undefined,
    witnessAwsRegion: undefined,
    tableReaders: undefined,
    formerTablesName: undefined,
    formerIssuer: undefined,
    formerDefaultAudience: undefined,
  };
}

/** Settings of a local run. The defaults are those of the config. Times are seconds. */
export interface LocalDeploymentOptions {
  /** A config that can be deployed. Left out: an example. */
  readonly config?: DeploymentConfigInput | undefined;
  /** The first signs. Operators can change to the others. */
  readonly signingAlgorithms?: readonly Alg[] | undefined;
  readonly signingKeyPolicy?: SigningKeyPolicyInput | undefined;
  readonly maxTokenLifetime?: number | undefined;
  /** Whether the limits of one client hold. One instance serves all clients, and would reach them. */
  readonly fairShare?: boolean | undefined;
  readonly accessTokenType?: AccessTokenType | undefined;
  readonly authorizationEndpoint?: boolean | undefined;
  readonly federatedClients?: DeploymentConfigInput['federatedClients'];
  readonly providerKeyFiles?: boolean | undefined;
  readonly clientKeys?: DeploymentConfigInput['clientKeys'];
  /** Whether tokens of the default audience are bound to the key of a proof. */
  readonly dpop?: boolean | undefined;
  /** Of the example API: whether it looks up the clients of own tokens. No part of a config. */
  readonly checkRevocation?: OnLookupFailure | undefined;
}

/** The deployment of the local run: one region, no domain, loopback as the issuer. */
export function buildLocalDeployment(
  issuer: string,
  options: LocalDeploymentOptions = {},
): LocalDeployment {
  const { signingAlgorithms, signingKeyPolicy, maxTokenLifetime: maximum } = options;
  const { accessTokenType, authorizationEndpoint, federatedClients, clientKeys } = options;
  const { providerKeyFiles } = options;
  const given = options.config === undefined ? example : keepLocal(options.config);
  const input: LocalDeployment['input'] = {
    ...given,
    issuer,
    fairShare: { ...given.fairShare, ...(options.fairShare !== true && { mode: 'off' }) },
    ...(signingAlgorithms !== undefined && { signingAlgorithms: [...signingAlgorithms] }),
    ...(signingKeyPolicy !== undefined && { signingKeyPolicy }),
    ...(accessTokenType !== undefined && { accessTokenType }),
    ...(authorizationEndpoint === true && { authorizationEndpoint }),
    ...(federatedClients !== undefined && { federatedClients }),
    ...(providerKeyFiles !== undefined && { providerKeyFiles }),
    ...(clientKeys !== undefined && { clientKeys }),
    ...(options.dpop === true && { dpop: { audiences: { [given.defaultAudience]: 'allowed' } } }),
    ...(maximum !== undefined && { tokenLifetime: { default: maximum, minimum: 1, maximum } }),
  };
  const config = parseDeploymentConfig(input, { allowLoopbackIssuer: true });
  const demoScopes = options.config === undefined ? exampleScopes(config) : grantableScopes(config);
  return { input, config, demoScopes };
}
