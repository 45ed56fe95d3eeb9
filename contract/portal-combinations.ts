import type { ParsedKeys } from './deployment-config-schema.ts';

/** The host names of the issuer, of all regions. */
function isOfIssuer(name: string, domain: ParsedKeys['domain']): boolean {
  return domain !== undefined && (name === domain.name || name.endsWith(`.${domain.name}`));
}

function findPlaceProblems(
  { domain, region, login }: NonNullable<ParsedKeys['portal']>,
  config: ParsedKeys,
): readonly string[] {
  const { name, hostedZoneName } = domain;
  const place = config.regions[region];
  const [, , , secretRegion] = login.clientSecretArn.split(':');
  return [
    ...(place === undefined
      ? [
          `portal.region: received "${region}"; allowed: one of ${Object.keys(config.regions).join(', ')}`,
        ]
      : []),
    ...(name === hostedZoneName || name.endsWith(`.${hostedZoneName}`)
      ? []
      : [
          `portal.domain.name: received "${name}"; allowed: a name in the zone "${hostedZoneName}"`,
        ]),
    ...(isOfIssuer(name, config.domain)
      ? [
          `portal.domain.name: received "${name}"; allowed: a host that is not the issuer's, which serves no pages with cookies`,
        ]
      : []),
    ...(place !== undefined && secretRegion !== place.awsRegion
      ? [
          `portal.login.clientSecretArn: received a secret in ${secretRegion}; allowed: one in ${place.awsRegion}, which is portal.region`,
        ]
      : []),
  ];
}

/** The login and the management function must agree about administrators. */
function findAdministratorProblems(
  { people }: NonNullable<ParsedKeys['portal']>,
  { portalReach }: ParsedKeys['management'],
): readonly string[] {
  const { administrator } = people.role;
  const isAllowed = portalReach?.administrators === true;
  if (administrator !== undefined && !isAllowed) {
    return [
      `portal.people.role.administrator: received ${JSON.stringify(administrator)}; allowed: no value unless management.portalReach.administrators is true`,
    ];
  }
  return [];
}

/** Problems of the portal with other keys of the config. */
export function findPortalProblems(config: ParsedKeys): readonly string[] {
  const { portal, management } = config;
  if (portal === undefined) return [];
  const { viewer, manager, administrator } = portal.people.role;
  return [
    ...findPlaceProblems(portal, config),
    ...findAdministratorProblems(portal, management),
    ...([viewer, manager, administrator].every((groups) => groups === undefined)
      ? ['portal.people.role: received no groups; allowed: groups of one role or more']
      : []),
  ];
}
