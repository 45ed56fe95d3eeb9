import {
  Annotations,
  CfnOutput,
  RemovalPolicy,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { addressesOf } from '../contract/addresses.ts';
import {
  maxAssertionFormBytes,
  maxTokenFormBytes,
  requestsOfExecution,
} from '../contract/bounds.ts';
import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import type { RegionId } from '../contract/regions.ts';
import { jwksPath, routesOf, throttlesOf, tokenPath } from '../contract/routes.ts';
import {
  apiKeyUseTable,
  apiKeyUseTableName,
  deployedTableName,
  tables,
} from '../contract/tables.ts';
import { addApiGatewayAccount } from './api/gateway-responses.ts';
import { addServiceDomain, ServiceApi } from './api/service-api.ts';
import { addWebAcl, serviceRules } from './api/web-acl.ts';
import {
  addServiceTable,
  addTableBackup,
  eachTable,
  type ServiceTables,
  tableId,
} from './data/service-tables.ts';
import { addNotices, addSchedules } from './functions/schedules.ts';
import { addGradualDeployment } from './functions/service-function.ts';
import { ServiceFunctions } from './functions/service-functions.ts';
import { addDeploymentCheck, addFirstSigningKey, letAllWait } from './keys/first-signing-key.ts';
import type { WatchedVault } from './monitoring/event-alarm.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { addOperatorPolicies, type OperatorPolicies } from './operators/operator-policies.ts';

interface RegionStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  readonly awsRegion: string;
  /** Folder of the function bundles, e.g. `dist/lambda`. */
  readonly bundles: string;
}

/** Everything of one platform region. */
export class RegionStack extends Stack {
  /** `iss` of the tokens, and the root of the discovery document. */
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUri: string;
  /** The tables of this region, and the names of those that other regions share. */
  readonly tables: ServiceTables;
  /** What an operator of each kind needs, to be attached to the roles of people. */
  readonly operatorPolicies: OperatorPolicies;
  /** Where the alarms of this region are published. */
  readonly alarmTopic: ITopic;
  private readonly props: RegionStackProps;

  constructor(scope: Construct, id: string, props: RegionStackProps) {
    super(scope, id, props);
    this.props = props;
    const { config } = props;
    const tables = this.addTables();
    this.tables = tables;
    const api = this.addApi();
    const addresses = addressesOf(config, api.address);
    this.issuer = addresses.issuer;
    this.tokenUrl = `${addresses.issuer}${tokenPath}`;
    this.jwksUri = `${addresses.issuer}${jwksPath}`;
    const part = (name: string) => new Construct(this, name);
    const apiKeyUses = addApiKeyUses(part('ApiKeyUsesTable'), config.name);
    const functions = new ServiceFunctions(this, 'Functions', {
      ...props,
      addresses,
      tables,
      apiKeyUses,
    });
    const check = addDeploymentCheck(part('DeploymentCheck'), config, props.regionId, functions);
    const vault = this.addBackup(tables);
    this.operatorPolicies = addOperatorPolicies(
      part('Operators'),
      config.name,
      props.regionId,
      tables,
    );
    api.addRoutes(functions.live);
    const certificate = this.addDomain(api);
    const monitoring = new Monitoring(this, 'Monitoring', {
      ...props,
      accessLog: api.accessLog,
      vault,
      certificate,
      functions,
    });
    this.alarmTopic = monitoring.topic;
    if (config.gradualDeployment) {
      const { ofNewVersions } = monitoring;
      addGradualDeployment(part('GradualDeployment'), config.name, functions.live, ofNewVersions);
    }
    addSchedules(part('Schedules'), functions);
    const { notices } = functions;
    if (notices !== undefined) addNotices(part('Notices'), config.name, notices);
    addFirstSigningKey(part('FirstSigningKey'), functions, Object.values(tables));
    this.addOutputs();
    letAllWait(check, functions);
    this.warnOfLowConcurrency();
    this.warnOfBoundTokens();
  }

  /** An API that does not look at `cnf` takes a stolen bound token for a bearer token, unseen. */
  private warnOfBoundTokens(): void {
    const { audiences = {}, default: others } = this.props.config.dpop ?? {};
    const required = Object.keys(audiences).filter((name) => audiences[name] === 'required');
    if (others === 'required') required.push('every audience without an entry');
    if (required.length === 0) return;
    Annotations.of(this).addWarningV2(
      'authorization-server:dpop.audiences',
      `dpop: received "required" for ${required.join(', ')}; allowed: audiences of APIs that check proofs, because many libraries accept a bound token as a bearer token: docs/platform-api.md#tokens-that-are-bound-to-a-key`,
    );
  }

  /** A throttle that Lambda reaches first gives callers 5xx instead of 429. */
  private warnOfLowConcurrency(): void {
    const { config } = this.props;
    const { rateLimit } = throttlesOf(config).documents;
    const needed = Math.ceil(rateLimit / requestsOfExecution);
    for (const name of ['discovery', 'jwks'] as const) {
      const reserved = config.reservedConcurrency[name];
      if (reserved === undefined || reserved >= needed) continue;
      Annotations.of(this).addWarningV2(
        `authorization-server:reservedConcurrency.${name}`,
        `reservedConcurrency.${name}: received ${reserved}; allowed: ${needed} or more for the throttle of ${rateLimit} requests a second, because Lambda serves at most ${requestsOfExecution} a second for each execution`,
      );
    }
  }

  /** It is of the account, so a new stack replaces what other APIs of the region log with. */
  private warnOfLogRole(): void {
    Annotations.of(this).addWarningV2(
      'authorization-server:apiGatewayLogRole',
      'apiGatewayLogRole: received nothing, so this stack sets the role that every API of this account and AWS region logs with; say "create" if it may, or "existing" if another stack has set one',
    );
  }

  /** Whether other regions share the issuer, and therefore the tables and the default name. */
  private get shared(): boolean {
    return deployedRegions(this.props.config).length > 1;
  }

  private addTables(): ServiceTables {
    const { config } = this.props;
    return eachTable((table) =>
      this.shared && tables[table].scope === 'global'
        ? TableV2.fromTableName(this, tableId(table), deployedTableName(config, table))
        : addServiceTable(this, { config, table }),
    );
  }

  /** Tables that all regions share are backed up once, in the first region. */
  private addBackup(tables: ServiceTables): WatchedVault | undefined {
    const { config, regionId } = this.props;
    if (config.backup === undefined) return undefined;
    const home = deployedRegions(config)[0]?.id === regionId;
    const vault = addTableBackup(
      new Construct(this, 'Backup'),
      config.name,
      home ? Object.values(tables) : [tables.audit],
      config.backup,
    );
    const isCopied = config.backup.copyToVaultArn !== undefined;
    return { name: config.name, arn: vault.backupVaultArn, isCopied };
  }

  private addApi(): ServiceApi {
    const { config } = this.props;
    const api = new ServiceApi(this, 'Api', {
      deploymentName: config.name,
      hasDomain: config.domain !== undefined,
      throttles: throttlesOf(config),
      routeOptions: config,
      hasWebAcl: config.webAcl !== undefined,
      tracing: config.tracing,
    });
    if (config.apiGatewayLogRole === undefined) this.warnOfLogRole();
    if (config.apiGatewayLogRole !== 'existing') {
      const account = new Construct(this, 'ApiGatewayAccount');
      addApiGatewayAccount(account);
      api.restApi.deploymentStage.node.addDependency(account);
    }
    if (config.webAcl !== undefined) {
      addWebAcl(new Construct(this, 'WebAcl'), {
        name: config.name,
        stage: api.restApi.deploymentStage,
        rules: serviceRules(
          {
            ...config.webAcl,
            tokenPaths: routesOf(config).flatMap((one) =>
              one.throttle === 'token' ? one.path : [],
            ),
          },
          config.federatedClients || config.clientKeys ? maxAssertionFormBytes : maxTokenFormBytes,
        ),
        redactedHeaders: ['authorization', ...(config.dpop ? ['dpop'] : [])],
      });
    }
    return api;
  }

  private addDomain(api: ServiceApi): ICertificate | undefined {
    const { domain } = this.props.config;
    if (domain === undefined) return undefined;
    const { regionId, awsRegion } = this.props;
    return addServiceDomain(new Construct(this, 'Domain'), {
      domain,
      regionId,
      awsRegion,
      shared: this.shared,
      restApi: api.restApi,
    });
  }

  private addOutputs(): void {
    new CfnOutput(this, 'Issuer', { value: this.issuer });
    new CfnOutput(this, 'TokenUrl', { value: this.tokenUrl });
    new CfnOutput(this, 'JwksUri', { value: this.jwksUri });
  }
}

/** A table of the region that goes with its stack: no record of it is missed. */
function addApiKeyUses(scope: Construct, deploymentName: string): TableV2 {
  const table = new TableV2(scope, 'Default', {
    tableName: apiKeyUseTableName(deploymentName),
    partitionKey: { name: apiKeyUseTable.partitionKey, type: AttributeType.STRING },
    timeToLiveAttribute: apiKeyUseTable.timeToLive,
    billing: Billing.onDemand(),
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(table).acknowledge({
    id: 'AwsSolutions::AwsSolutions-DDB3',
    reason:
      'Days that tell people what is in use. Nothing decides by them, and each use writes them again.',
  });
  return table;
}
