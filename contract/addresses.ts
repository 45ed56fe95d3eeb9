import { type DeploymentConfig, deployedRegions } from './deployment-config.ts';
import type { RegionId } from './regions.ts';
import { jwksPath, openidConfigurationPath, tokenPath } from './routes.ts';

/** Addresses of one thing in each region, by region id. */
export type RegionalAddresses = Readonly<Partial<Record<RegionId, string>>>;

/** The addresses of a deployment. */
export interface Addresses {
  readonly issuer: string;
  readonly regionalTokenEndpoints: RegionalAddresses;
  readonly regionalJwksUris: RegionalAddresses;
}

/** Host that serves only one region, e.g. `slc.auth.example.com`. */
export function regionalHost(domainName: string, regionId: RegionId): string {
  return `${regionId}.${domainName}`;
}

/**
 * With a domain each region has a host of its own in addition to the issuer's. Without one there is one
 * region, and its API's address is the issuer.
 *
 * @param apiAddress address of the API, used if there is no domain.
 */
export function addressesOf(
  config: Pick<DeploymentConfig, 'domain' | 'issuer' | 'regions'>,
  apiAddress: string,
): Addresses {
  const { domain } = config;
  const address = (path: string): RegionalAddresses =>
    Object.fromEntries(
      deployedRegions(config).map(({ id }) => [
        id,
        `${domain === undefined ? apiAddress : `https://${regionalHost(domain.name, id)}`}${path}`,
      ]),
    );
  return {
    issuer: config.issuer ?? apiAddress,
    regionalTokenEndpoints: address(tokenPath),
    regionalJwksUris: address(jwksPath),
  };
}

/** Every URL at which the deployment gives tokens. */
export function tokenEndpointsOf({
  issuer,
  regionalTokenEndpoints,
}: Omit<Addresses, 'regionalJwksUris'>): readonly string[] {
  return [...new Set([issuer + tokenPath, ...Object.values(regionalTokenEndpoints)])];
}

/**
 * What assertions name as their `aud`, as far as the config says it. No client's tokens may have one:
 * one token of a provider would be an assertion, and good for an API. Empty if none is accepted.
 */
export function assertionAudiencesOf(
  config: Pick<DeploymentConfig, 'domain' | 'issuer' | 'regions' | 'federatedClients'>,
): readonly string[] {
  const { federatedClients, issuer } = config;
  if (federatedClients === undefined) return [];
  const { audience } = federatedClients;
  const configured = audience === undefined ? [] : [audience];
  if (issuer === undefined) return configured;
  return [issuer, ...tokenEndpointsOf(addressesOf(config, issuer)), ...configured];
}

/** Address of the discovery document of the region that serves this JWKS. */
export function discoveryUriBeside(jwksUri: string): string {
  return jwksUri.slice(0, -jwksPath.length) + openidConfigurationPath;
}
