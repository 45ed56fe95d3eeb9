import {
  Annotations,
  CfnOutput,
  RemovalPolicy,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { addressesOf } from '../contract/addresses.ts';
import { type DeploymentConfig, deployedRegions } from '../contract/deployment-config.ts';
import { requestsOfExecution } from '../contract/limits.ts';
import type { RegionId } from '../contract/regions.ts';
import { jwksPath, throttlesOf, tokenPath } from '../contract/routes.ts';
import {
  apiKeyUseTable,
  apiKeyUseTableName,
  deployedTableName,
  tables,
} from '../contract/tables.ts';
import { ApiGatewayAccount } from './api/gateway-responses.ts';
import { ServiceApi, ServiceDomain } from './api/service-api.ts';
import { serviceRules, WebAcl } from './api/web-acl.ts';
import {
  eachTable,
  ServiceTable,
  type ServiceTables,
  TableBackup,
  tableId,
} from './data/service-tables.ts';
import { Notices } from './functions/notices.ts';
import { Schedules } from './functions/schedules.ts';
import { GradualDeployment } from './functions/service-function.ts';
import { ServiceFunctions } from './functions/service-functions.ts';
import { DeploymentCheck, FirstSigningKey } from './keys/first-signing-key.ts';
import type { WatchedVault } from './monitoring/event-alarm.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { OperatorPolicies } from './operators/operator-policies.ts';

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
  readonly operatorPolicies: OperatorPolicies['policies'];
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
    const functions = new ServiceFunctions(this, 'Functions', {
      ...props,
      addresses,
      tables,
      apiKeyUses: new ExpiringTable(this, 'ApiKeyUsesTable', {
        tableName: apiKeyUseTableName(config.name),
        schema: apiKeyUseTable,
        reason:
          'Days that tell people what is in use. Nothing decides by them, and each use writes them again.',
      }).table,
    });
    const check = new DeploymentCheck(this, 'DeploymentCheck', {
      config,
      regionId: props.regionId,
      functions,
    });
    const vault = this.addBackup(tables);
    this.operatorPolicies = this.addOperators(tables);
    api.addRoutes(functions.live);
    const domain = this.addDomain(api);
    const monitoring = new Monitoring(this, 'Monitoring', {
      ...props,
      accessLog: api.accessLog,
      vault,
    });
    if (domain !== undefined) monitoring.addCertificateAlarm(domain.certificate);
    this.alarmTopic = monitoring.topic;
    this.addGradualDeployment(functions, monitoring);
    new Schedules(this, 'Schedules', functions);
    this.addNotices(functions, monitoring);
    new FirstSigningKey(this, 'FirstSigningKey', { functions, after: Object.values(tables) });
    this.addOutputs();
    check.letAllWait();
    this.warnOfLowConcurrency();
  }

  /** A throttle that Lambda reaches first gives callers 5xx instead of 429. */
  private warnOfLowConcurrency(): void {
    const { config } = this.props;
    const throttles = throttlesOf(config);
    const rates = {
      discovery: throttles.documents,
      jwks: throttles.documents,
    };
    for (const [name, { rateLimit }] of Object.entries(rates)) {
      const reserved = config.reservedConcurrency[name as keyof typeof rates];
      const needed = Math.ceil(rateLimit / requestsOfExecution);
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
        : new ServiceTable(this, tableId(table), { config, table }).table,
    );
  }

  /** Tables that all regions share are backed up once, in the first region. */
  private addBackup(tables: ServiceTables): WatchedVault | undefined {
    const { config, regionId } = this.props;
    if (config.backup === undefined) return undefined;
    const home = deployedRegions(config)[0]?.id === regionId;
    const { vault } = new TableBackup(this, 'Backup', {
      ...config.backup,
      deploymentName: config.name,
      tables: home ? Object.values(tables) : [tables.audit],
    });
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
      const account = new ApiGatewayAccount(this, 'ApiGatewayAccount');
      api.restApi.deploymentStage.node.addDependency(account);
    }
    this.addWebAcl(api);
    return api;
  }

  private addWebAcl(api: ServiceApi): void {
    const { config } = this.props;
    if (config.webAcl === undefined) return;
    new WebAcl(this, 'WebAcl', {
      name: config.name,
      stage: api.restApi.deploymentStage,
      rules: serviceRules(config.webAcl),
      redactedHeaders: ['authorization'],
    });
  }

  private addOperators(tables: ServiceTables): OperatorPolicies['policies'] {
    const operators = { ...this.props, deploymentName: this.props.config.name, tables };
    return new OperatorPolicies(this, 'Operators', operators).policies;
  }

  private addDomain(api: ServiceApi): ServiceDomain | undefined {
    const { domain } = this.props.config;
    if (domain === undefined) return undefined;
    const { regionId, awsRegion } = this.props;
    return new ServiceDomain(this, 'Domain', {
      domain,
      regionId,
      awsRegion,
      shared: this.shared,
      restApi: api.restApi,
    });
  }

  private addGradualDeployment(functions: ServiceFunctions, monitoring: Monitoring): void {
    if (!this.props.config.gradualDeployment) return;
    const refusals = monitoring.addVersionAlarm(functions.token);
    new GradualDeployment(this, 'GradualDeployment', {
      deploymentName: this.props.config.name,
      aliases: functions.live,
      alarms: [...monitoring.ofNewVersions, refusals],
    });
  }

  private addNotices({ notices }: ServiceFunctions, monitoring: Monitoring): void {
    if (notices === undefined) return;
    new Notices(this, 'Notices', { deploymentName: this.props.config.name, notices });
    monitoring.addNoticesAlarm();
  }

  private addOutputs(): void {
    new CfnOutput(this, 'Issuer', { value: this.issuer });
    new CfnOutput(this, 'TokenUrl', { value: this.tokenUrl });
    new CfnOutput(this, 'JwksUri', { value: this.jwksUri });
  }
}

interface ExpiringTableProps {
  readonly tableName: string;
  readonly schema: { readonly partitionKey: string; readonly timeToLive: string };
  /** Why there is nothing to restore. */
  readonly reason: string;
}

/** A table of the region that goes with its stack or its setting: no record of it is missed. */
class ExpiringTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { tableName, schema, reason }: ExpiringTableProps) {
    super(scope, id);
    this.table = new TableV2(this, 'Default', {
      tableName,
      partitionKey: { name: schema.partitionKey, type: AttributeType.STRING },
      timeToLiveAttribute: schema.timeToLive,
      billing: Billing.onDemand(),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.table).acknowledge({ id: 'AwsSolutions::AwsSolutions-DDB3', reason });
  }
}
