import { maxAliasPolicyBytes, operatorExecutions, portalExecutions } from './bounds.ts';
import type { ParsedKeys } from './deployment-config-schema.ts';
import { managementAliases } from './management/roles.ts';
import { saying } from './parse-problem.ts';
import { partitionOf } from './partitions.ts';
import { namesOf } from './reach.ts';
import { strongConsistencySets } from './regions.ts';
import { highestTokenRate, leastGatewayQuota, tokenPath } from './routes.ts';
import { scopeName } from './scopes.ts';
import { syntheticAuthority } from './synthetic-check.ts';
import { findTagProblems } from './tags.ts';

/** The names of a domain are latency alias records, which Route 53 does not have in GovCloud. */
function findDomainProblems({ domain: found, regions }: ParsedKeys): readonly string[] {
  if (found === undefined) return [];
  const { name, hostedZoneName } = found;
  const inGovCloud = Object.values(regions).find(
    (one) => one && partitionOf(one.awsRegion).id === 'aws-us-gov',
  );
  if (inGovCloud !== undefined) {
    return [
      `domain: received "${name}" with ${inGovCloud.awsRegion}; allowed: no domain in AWS GovCloud (US), because Route 53 has no latency-based routing there`,
    ];
  }
  return saying(
    !isWithin(name, hostedZoneName) &&
      `domain.name: received "${name}"; allowed: a name in the zone "${hostedZoneName}"`,
  );
}

function findDuplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function findRegionProblems(config: ParsedKeys): readonly string[] {
  const members = Object.values(config.regions)
    .filter((value) => value !== undefined)
    .map((value) => value.awsRegion);
  const repeated = findDuplicates(members).map(
    (name) =>
      `regions: two platform regions are on ${name}; allowed: one platform region to an AWS region`,
  );
  const { witnessAwsRegion: witness } = config;
  const needless = 'witnessAwsRegion: allowed only with two regions';
  if (members.length === 1) return saying(...repeated, witness !== undefined && needless);
  const all = witness === undefined ? members : [...members, witness];
  const set = strongConsistencySets.find((names) => names.includes(all[0] ?? ''));
  const isOneSet = set !== undefined && all.every((name) => set.includes(name));
  return saying(
    ...repeated,
    config.domain === undefined &&
      'domain: received nothing; several regions share one issuer, so they need one',
    members.length === 2 &&
      witness === undefined &&
      'witnessAwsRegion: received nothing; a strongly consistent table of two regions needs a third AWS region as witness',
    members.length === 3 && witness !== undefined && needless,
    !(isOneSet && new Set(all).size >= 3) &&
      `regions: received ${all.join(', ')}; strongly consistent tables need three different AWS regions of one set: ${strongConsistencySets.map((names) => names.join(', ')).join(' | ')}`,
  );
}

/** ARNs anywhere in a value, with the key of each. */
function arnsOf(value: unknown, key: string): readonly (readonly [key: string, arn: string])[] {
  if (typeof value === 'string') return value.startsWith('arn:') ? [[key, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    arnsOf(one, key === '' ? name : `${key}.${name}`),
  );
}

/** A partition knows no account, role or key of another. */
function findPartitionProblems(config: ParsedKeys): readonly string[] {
  const [first] = Object.values(config.regions).filter((region) => region !== undefined);
  const { id } = partitionOf(first?.awsRegion ?? '');
  return arnsOf(config, '')
    .filter(([, arn]) => !arn.startsWith(`arn:${id}:`))
    .map(
      ([key, arn]) =>
        `${key}: received "${arn}"; allowed: an ARN of the partition "${id}", which ${first?.awsRegion} is in`,
    );
}

/** A key encrypts only in its own AWS region, and a log of one region tells about the others. */
function findEncryptionKeyProblems({ regions }: ParsedKeys): readonly string[] {
  const deployed = Object.entries(regions).filter(([, region]) => region !== undefined);
  const named = deployed.filter(([, region]) => region?.encryptionKeyArn !== undefined);
  return deployed.flatMap(([id, region]) => {
    const { awsRegion, encryptionKeyArn } = region ?? {};
    const key = `regions.${id}.encryptionKeyArn`;
    if (encryptionKeyArn === undefined) {
      return named.length === 0
        ? []
        : [`${key}: received nothing; allowed: a key in every region, or in none`];
    }
    return encryptionKeyArn.split(':')[3] === awsRegion
      ? []
      : [`${key}: received "${encryptionKeyArn}"; allowed: a key of ${awsRegion}`];
  });
}

/**
 * Lambda takes the provisioned instances from the reserved ones. A deployment invokes new code
 * outside of the provisioned instances. If none is left for it, the call is throttled until the
 * deployment fails.
 */
function findConcurrencyProblems(config: ParsedKeys): readonly string[] {
  const kept = config.tokenFunction.provisionedConcurrency ?? 0;
  const reserved = config.reservedConcurrency.token ?? Number.POSITIVE_INFINITY;
  return saying(
    kept >= reserved &&
      `tokenFunction.provisionedConcurrency: received ${kept}; allowed: less than reservedConcurrency.token, which is ${reserved}: a deployment tests new code outside of the provisioned instances`,
  );
}

/** Above the quota of KMS, only the token function keeps one client from taking it from all others. */
function findThrottleProblems(config: ParsedKeys): readonly string[] {
  const rate = config.throttles.token?.rateLimit ?? 0;
  const highest = highestTokenRate(config);
  const documents = config.throttles.documents?.rateLimit ?? 0;
  const gateway = leastGatewayQuota(config);
  return saying(
    documents > 0.3 * gateway &&
      `throttles.documents.rateLimit: received ${documents}; allowed: at most ${Math.floor(0.3 * gateway)}, which is 30 % of apiGatewayQuota (${gateway})`,
    rate > config.kmsSignQuota &&
      config.fairShare.mode !== 'enforce' &&
      `throttles.token.rateLimit: received ${rate}; allowed: at most kmsSignQuota, which is ${config.kmsSignQuota}, unless fairShare.mode is "enforce"`,
    rate > highest.rate &&
      `throttles.token.rateLimit: received ${rate}; allowed: at most ${highest.rate}, which is ${highest.reason}`,
  );
}

function findLifetimeProblems(config: ParsedKeys): readonly string[] {
  const { default: usual, minimum, maximum } = config.tokenLifetime;
  return saying(
    !(minimum <= usual && usual <= maximum) &&
      `tokenLifetime: received minimum ${minimum}, default ${usual}, maximum ${maximum}; allowed: minimum <= default <= maximum`,
  );
}

/** A former value is what the deployment has until it has this one. */
function findFormerProblems(config: ParsedKeys): readonly string[] {
  const { name, tablesName = name, domain, issuer = domain && `https://${domain.name}` } = config;
  const formers = {
    formerTablesName: [tablesName, 'the first part of the names of other tables than those in use'],
    formerIssuer: [issuer, 'another issuer than the one of this config'],
    formerDefaultAudience: [config.defaultAudience, 'another audience than `defaultAudience`'],
  } as const;
  return Object.entries(formers).flatMap(([key, [present, allowed]]) => {
    const former = config[key as keyof typeof formers];
    return former !== undefined && former === present
      ? [`${key}: received "${former}"; allowed: ${allowed}`]
      : [];
  });
}

/**
 * CloudFormation cannot create a replica and give it a policy in the same update, except in the
 * region of the stack. So the config says which tables exist.
 */
function findReaderProblems(config: ParsedKeys): readonly string[] {
  const { name, tablesName = name, formerTablesName, tableReaders } = config;
  if (tableReaders === undefined) return [];
  const received = `tableReaders.tables: received ${JSON.stringify(tableReaders.tables) ?? 'nothing'}`;
  const regions = Object.values(config.regions).filter((region) => region !== undefined);
  if (regions.length === 1) {
    if (tableReaders.tables === undefined) return [];
    return [
      `${received}; allowed: no value with one region, whose tables get their policies at once`,
    ];
  }
  if ([tablesName, formerTablesName].includes(tableReaders.tables ?? '')) return [];
  const former = formerTablesName === undefined ? '' : `, "${formerTablesName}" until they exist`;
  return [
    `${received}; allowed: "${tablesName}" if these tables exist in all regions${former}. A new replica cannot get a policy in the update that creates it: deploy the data stack without tableReaders first`,
  ];
}

/** A token for an API must never be an assertion, and an assertion never a token for an API. */
function findFederationProblems(config: ParsedKeys): readonly string[] {
  const { federatedClients, defaultAudience, domain, regions } = config;
  if (federatedClients === undefined) return [];
  const issuer = config.issuer ?? (domain && `https://${domain.name}`);
  const regional = Object.keys(regions).map((id) => `https://${id}.${domain?.name}${tokenPath}`);
  const reserved = [issuer, issuer && issuer + tokenPath, federatedClients.audience, ...regional];
  return saying(
    reserved.includes(defaultAudience) &&
      `defaultAudience: received "${defaultAudience}", which federatedClients takes for assertions; allowed: the name of an API`,
  );
}

function findScopeProblems({ scopes, ignoredScopes = [] }: ParsedKeys): readonly string[] {
  const names = scopes.map(scopeName);
  return [
    ...findDuplicates(names).map((name) => `scopes: ${name} is listed twice`),
    ...syntheticAuthority.scopes
      .filter((name) => names.includes(name))
      .map((name) => `scopes: received "${name}", which only the synthetic check has`),
    ...ignoredScopes
      .filter((scope) => names.includes(scope))
      .map(
        (scope) =>
          `ignoredScopes: received "${scope}"; allowed: a scope that is not in the catalogue`,
      ),
  ];
}

function findUnknownScopes(
  key: string,
  granted: readonly string[] | undefined,
  catalogue: ParsedKeys['scopes'],
): readonly string[] {
  const names = catalogue.map(scopeName);
  return (granted ?? [])
    .filter((scope) => !names.includes(scope))
    .map((scope) => `${key}: received "${scope}"; allowed: a scope of the catalogue`);
}

const nameOf = (principal: string) => namesOf(principal)[0];

/**
 * Bytes of a statement for one role without its ARN: a Sid that CloudFormation makes of stack and
 * resource, up to 128, the ARN of the alias, up to 128, and the JSON around them.
 */
const statementBytes = 128 + 128 + 100;

/** Lambda refuses the permission that is too many, in the middle of a deployment. */
function findAliasPolicyProblems({ management }: ParsedKeys): readonly string[] {
  return managementAliases.flatMap((alias) => {
    const roles = management.reach
      .filter(({ aliases = [] }) => aliases.some((one) => one === alias))
      .flatMap(({ principals }) => principals);
    const bytes = roles.reduce((sum, arn) => sum + statementBytes + arn.length, 0);
    return bytes <= maxAliasPolicyBytes
      ? []
      : [
          `management.reach: received ${roles.length} roles for the alias ${alias}, whose policy can take ${bytes} bytes; allowed: ${maxAliasPolicyBytes} bytes. Let several callers assume one role`,
        ];
  });
}

function findReachProblems({ management, scopes }: ParsedKeys): readonly string[] {
  const unknown = findUnknownScopes(
    'management.portalReach.scopes',
    management.portalReach?.scopes,
    scopes,
  );
  const principals = management.reach.flatMap((reach) => reach.principals.map(nameOf));
  const open = saying(
    management.reach.length > 0 &&
      management.default === undefined &&
      'management.default: received nothing next to management.reach; allowed: "everything" or "nothing". It says what an identity of the deployment\'s own account may do that has no entry: everything that its role allows, as until now, or nothing. With "nothing", the roles of your own operators need entries',
  );
  const repeated = findDuplicates(principals).map(
    (one) => `management.reach: received "${one}" twice; allowed: one entry for a principal`,
  );
  return [...open, ...unknown, ...repeated];
}

/** Problems with combinations of keys, one line each: the key, the value, what is allowed. */
export function findCombinationProblems(config: ParsedKeys): readonly string[] {
  return [
    ...findDomainProblems(config),
    ...findRegionProblems(config),
    ...findPartitionProblems(config),
    ...findTagProblems(config.tags),
    ...findEncryptionKeyProblems(config),
    ...findLifetimeProblems(config),
    ...findConcurrencyProblems(config),
    ...findThrottleProblems(config),
    ...findFederationProblems(config),
    ...saying(
      config.clientImport !== undefined &&
        config.clientKeys?.only === true &&
        'clientKeys.only: received true next to clientImport; allowed: one of them, as an imported client has a secret',
      config.clientSecretPost &&
        config.clientKeys?.only === true &&
        'clientKeys.only: received true next to clientSecretPost; allowed: one of them, as no secret authenticates a client',
    ),
    ...findScopeProblems(config),
    ...findFormerProblems(config),
    ...findReaderProblems(config),
    ...findReachProblems(config),
    ...findAliasPolicyProblems(config),
    ...findPortalProblems(config),
  ];
}

function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

function findPlaceProblems(
  { domain, region, login }: NonNullable<ParsedKeys['portal']>,
  config: ParsedKeys,
): readonly string[] {
  const { name, hostedZoneName } = domain;
  const place = config.regions[region];
  const [, , , secretRegion] = login.clientSecretArn.split(':');
  return saying(
    place === undefined &&
      `portal.region: received "${region}"; allowed: one of ${Object.keys(config.regions).join(', ')}`,
    !isWithin(name, hostedZoneName) &&
      `portal.domain.name: received "${name}"; allowed: a name in the zone "${hostedZoneName}"`,
    // They are the host names of the issuer, of all regions.
    config.domain !== undefined &&
      isWithin(name, config.domain.name) &&
      `portal.domain.name: received "${name}"; allowed: a host that is not the issuer's, which serves no pages with cookies`,
    place !== undefined &&
      secretRegion !== place.awsRegion &&
      `portal.login.clientSecretArn: received a secret in ${secretRegion}; allowed: one in ${place.awsRegion}, which is portal.region`,
  );
}

/** The login and the management function must agree about administrators. */
function findAdministratorProblems(
  { people }: NonNullable<ParsedKeys['portal']>,
  { portalReach }: ParsedKeys['management'],
): readonly string[] {
  const { administrator } = people.role;
  return saying(
    administrator !== undefined &&
      portalReach?.administrators !== true &&
      `portal.people.role.administrator: received ${JSON.stringify(administrator)}; allowed: no value unless management.portalReach.administrators is true`,
  );
}

/** Every page can hold an execution of the function that operators stop something with. */
function findRoomProblems(
  { reservedConcurrency: received }: NonNullable<ParsedKeys['portal']>,
  { management = portalExecutions + operatorExecutions }: ParsedKeys['reservedConcurrency'],
): readonly string[] {
  if (management === 'none') return [];
  const most = management - operatorExecutions;
  return saying(
    (received === 'none' || received > most) &&
      `portal.reservedConcurrency: received ${JSON.stringify(received)}; allowed: at most ${most}, which is reservedConcurrency.management (${management}) less ${operatorExecutions} for operators, so that pages never keep them from stopping something`,
  );
}

/** Problems of the portal with other keys of the config. */
function findPortalProblems(config: ParsedKeys): readonly string[] {
  const { portal, management } = config;
  if (portal === undefined) return [];
  const { viewer, manager, administrator } = portal.people.role;
  return saying(
    ...findPlaceProblems(portal, config),
    ...findAdministratorProblems(portal, management),
    ...findRoomProblems(portal, config.reservedConcurrency),
    [viewer, manager, administrator].every((groups) => groups === undefined) &&
      'portal.people.role: received no groups; allowed: groups of one role or more',
  );
}
