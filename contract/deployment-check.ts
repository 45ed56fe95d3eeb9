import * as v from 'valibot';
import { defaultKmsSignQuota } from './bounds.ts';
import { parseCustomResource } from './custom-resource.ts';
import { type DeploymentConfig, deployedRegions } from './deployment-config.ts';
import { gatewayQuota } from './partitions.ts';
import { type RegionId, regionIds } from './regions.ts';
import { reservationsOf } from './reservations.ts';
import { algs, signingAlgorithms } from './signing-algorithms.ts';
import { deployedTableName } from './tables.ts';

/** A JSON value that the reader checks further. */
const json = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): unknown => {
    try {
      return JSON.parse(dataset.value);
    } catch {
      addIssue({ message: 'allowed: JSON' });
      return NEVER;
    }
  }),
);

/** What clients, verifiers and records depend on, as literals of a config. */
const literalsSchema = v.object({
  /** Absent if it is the address of the API, which only the deployment knows. */
  issuer: v.optional(v.string()),
  defaultAudience: v.string(),
  /** Name of the table of clients. The tables that regions share have one prefix. */
  clientsTable: v.string(),
});

/** The literals of one config. */
export type DeploymentLiterals = v.InferOutput<typeof literalsSchema>;

const raisedQuotaSchema = v.object({
  key: v.picklist(['kmsSignQuota', 'apiGatewayQuota']),
  value: v.number(),
  /** What an account has without a request. */
  standard: v.number(),
  service: v.string(),
  code: v.string(),
});

/** A figure of a config that is more than AWS gives without a request. */
export type RaisedQuota = v.InferOutput<typeof raisedQuotaSchema>;

/** Properties of the custom resource by which a stack asks whether it may change anything. */
const deploymentCheckPropertiesSchema = v.object({
  SigningAlgorithms: v.array(v.picklist(algs)),
  Regions: v.array(v.picklist(regionIds)),
  Literals: literalsSchema,
  /** The literals that this config replaces on purpose. */
  Former: v.partial(literalsSchema),
  /** JSON, because CloudFormation makes strings of numbers: what the functions of the region reserve. */
  Reservations: v.optional(
    v.pipe(json, v.array(v.object({ name: v.string(), key: v.string(), executions: v.number() }))),
    '[]',
  ),
  Quotas: v.optional(v.pipe(json, v.array(raisedQuotaSchema)), '[]'),
});

/** What CloudFormation passes on to the function. */
export type DeploymentCheckProperties = v.InferOutput<typeof deploymentCheckPropertiesSchema>;

/** AWS's codes of the quotas of signatures. That of ML-DSA is not known. */
const signQuotaCodes = { RSA: 'L-2AC98190', EC: 'L-DC14942D', AKP: undefined } as const;

/** What a region must ask AWS about before its throttles depend on it. */
export function raisedQuotas(config: DeploymentConfig, regionId: RegionId): RaisedQuota[] {
  const [alg] = config.signingAlgorithms;
  const gateway = gatewayQuota(config.regions[regionId]?.awsRegion ?? '');
  const quotas = [
    ['kmsSignQuota', defaultKmsSignQuota, 'kms', alg && signQuotaCodes[signingAlgorithms[alg].kty]],
    ['apiGatewayQuota', gateway, 'apigateway', 'L-8A5B8E43'],
  ] as const;
  return quotas.flatMap(([key, standard, service, code]) => {
    const value = config[key] ?? 0;
    return code !== undefined && value > standard ? [{ key, value, standard, service, code }] : [];
  });
}

/** What the stack of a config asks. */
export function deploymentCheckProperties(config: DeploymentConfig, regionId: RegionId) {
  const { issuer, defaultAudience, formerIssuer, formerDefaultAudience, formerTablesName } = config;
  const reservations = reservationsOf(config, regionId);
  const quotas = raisedQuotas(config, regionId);
  const clientsTable = (names: Parameters<typeof deployedTableName>[0]) =>
    deployedTableName(names, 'clients');
  return {
    SigningAlgorithms: [...config.signingAlgorithms],
    Regions: deployedRegions(config).map(({ id }) => id),
    Literals: {
      ...(issuer !== undefined && { issuer }),
      defaultAudience,
      clientsTable: clientsTable(config),
    },
    Former: {
      ...(formerIssuer !== undefined && { issuer: formerIssuer }),
      ...(formerDefaultAudience !== undefined && { defaultAudience: formerDefaultAudience }),
      ...(formerTablesName !== undefined && {
        clientsTable: clientsTable({ ...config, tablesName: formerTablesName }),
      }),
    },
    ...(reservations.length > 0 && { Reservations: JSON.stringify(reservations) }),
    ...(quotas.length > 0 && { Quotas: JSON.stringify(quotas) }),
  } satisfies v.InferInput<typeof deploymentCheckPropertiesSchema>;
}

const checkedLiterals = v.pick(deploymentCheckPropertiesSchema, ['Literals', 'Former']);

/** Literals of a config, and those that it replaces on purpose. */
export type CheckedLiterals = v.InferOutput<typeof checkedLiterals>;

/**
 * What the stack asked before. Undefined if it asked nothing, or if another release asked in
 * another form.
 */
export function readFormerProperties(input: unknown): CheckedLiterals | undefined {
  const result = v.safeParse(checkedLiterals, input);
  return result.success ? result.output : undefined;
}

/** Minutes that a check may take: the permissions of a new role take a while to have an effect. */
export const deploymentCheckMinutes = 4;

/** @throws {CustomResourceEventError} naming each property that is not as allowed. */
export function parseDeploymentCheckProperties(input: unknown): DeploymentCheckProperties {
  return parseCustomResource(
    deploymentCheckPropertiesSchema,
    input,
    "the custom resource's properties",
  );
}
