import { Aws, Duration, Validations } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { AccountPrincipal, ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { deploymentCheckMinutes, raisedQuotas } from '../../contract/deployment-check.ts';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { type FunctionName, liveAlias, roleName } from '../../contract/function-names.ts';
import {
  functionSettings,
  managementConfigFile,
  type SettingsSource,
} from '../../contract/function-settings.ts';
import { type KmsKeyPolicyPrincipals, kmsKeyPolicy } from '../../contract/kms-key.ts';
import { onlyItems, onlyValues } from '../../contract/list-condition.ts';
import { formatManagementConfig } from '../../contract/management/management-config.ts';
import { type ManagementAlias, managementAliases } from '../../contract/management/roles.ts';
import { stackAlias } from '../../contract/reach.ts';
import { reservationsOf, reservedFor } from '../../contract/reservations.ts';
import type { HttpFunctionName } from '../../contract/routes.ts';
import { syntheticClientId } from '../../contract/synthetic-check.ts';
import {
  apiKeyUseTableName,
  changedSigningKeyAttributes,
  tables as contract,
  deployedTableName,
  lastUseAttribute,
  signingKeyRecordTypes as records,
  settingRecordTypes,
  trunkGroupIndex,
} from '../../contract/tables.ts';
import { tagsOf } from '../../contract/tags.ts';
import { type ServiceTables, type TableArns, tableArns } from '../data/service-tables.ts';
import {
  allowInspection,
  allowKeyManagement,
  allowSign,
  type SigningKeys,
} from '../keys/key-permissions.ts';
import {
  type FunctionContext,
  functionArn,
  namedTableArn,
  ServiceFunction,
  type ServiceFunctionProps,
} from './service-function.ts';

interface ServiceFunctionsProps
  extends Omit<SettingsSource, 'kmsKeyPolicy'>,
    Pick<FunctionContext, 'bundles'> {
  readonly tables: ServiceTables;
  /** The days on which API keys were last used, in this region. */
  readonly apiKeyUses: ITableV2;
}

/** Those of the functions that a region's source says everything about. */
const { authorizer: _, portal: __, ...ofSource } = functionSettings;

/** Documents come from memory; more memory only makes a start faster. */
const documentMemory = 1024;
/** Keys are created and proved outside the request path. */
const backgroundMemory = 512;

/** Starts within a second, as the function with the most code. */
const managementMemory = 1769;
/** One processor: a run reads 1,000,000 records within its 15 minutes. */
const noticesMemory = 1769;
/** A revocation waits for four seconds, 500 changes take less than 30. */
const managementTimeout = Duration.minutes(1);
/**
 * With the timeout, below the ServiceTimeout of stacks: a creation that Lambda throttled would come
 * after the deletion by which CloudFormation takes it back, and leave its client enabled.
 */
const stackEvents = { maxEventAge: Duration.minutes(8) };

/** Above the handlers' own deadlines, so the handlers answer first; below the gateway's 29 s. */
const requestTimeout = Duration.seconds(10);
/** Enough for a JWKS from each region, or a token after some refusals, including retries. */
const checkTimeout = Duration.minutes(1);
/**
 * The tag of a new key can take minutes to have an effect. A custom resource's function ends after
 * 15.
 */
export const rotationTimeout = Duration.minutes(14);

const change = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'];

/** The functions of one region with their permissions. */
export class ServiceFunctions extends Construct {
  readonly token: ServiceFunction<'token'>;
  readonly discovery: ServiceFunction<'discovery'>;
  readonly jwks: ServiceFunction<'jwks'>;
  readonly canary: ServiceFunction<'canary'>;
  readonly keyRotation: ServiceFunction<'key-rotation'>;
  readonly syntheticCheck: ServiceFunction<'synthetic-check'>;
  readonly deploymentCheck: ServiceFunction<'deployment-check'>;
  readonly management: ServiceFunction<'management'>;
  /** Only in the first region, for all of them. */
  readonly notices: ServiceFunction<'notices'> | undefined;
  /** Functions that answer the gateway's requests. */
  readonly live: Readonly<Record<HttpFunctionName, Alias>>;
  private readonly source: SettingsSource;
  private readonly context: FunctionContext;
  private readonly keys: SigningKeys;
  private readonly tables: TableArns;

  constructor(scope: Construct, id: string, props: ServiceFunctionsProps) {
    super(scope, id);
    const { config, regionId } = props;
    this.tables = tableArns(this, config, props.tables);
    const { name: deploymentName, tracing } = config;
    this.context = { deploymentName, regionId, tracing, bundles: props.bundles };
    this.keys = {
      deploymentName: config.name,
      algorithms: config.signingAlgorithms,
      tagNames: Object.keys(tagsOf(config)),
    };
    this.source = { ...props, kmsKeyPolicy: kmsKeyPolicy(this.keyPolicyPrincipals(config)) };
    this.token = this.addToken();
    this.discovery = this.addDiscovery();
    this.jwks = this.addJwks();
    this.canary = this.addCanary();
    this.keyRotation = this.addKeyRotation();
    this.syntheticCheck = this.addSyntheticCheck();
    this.deploymentCheck = this.addDeploymentCheck();
    this.management = this.addManagement(props.apiKeyUses);
    this.notices = deployedRegions(config)[0]?.id === regionId ? this.addNotices() : undefined;
    this.live = {
      token: this.token.addLive(config.tokenFunction.provisionedConcurrency),
      discovery: this.discovery.addLive(),
      jwks: this.jwks.addLive(),
    };
  }

  /** Every function of the running service. The deployment check runs before the service exists. */
  get all(): readonly ServiceFunction<FunctionName>[] {
    const { token, discovery, jwks, canary, keyRotation, syntheticCheck, management } = this;
    const all = [token, discovery, jwks, canary, keyRotation, syntheticCheck, management];
    return this.notices === undefined ? all : [...all, this.notices];
  }

  private keyPolicyPrincipals(config: DeploymentConfig): KmsKeyPolicyPrincipals {
    const arn = (resource: string): string =>
      `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:${resource}`;
    const role = (name: FunctionName): string =>
      arn(`role/${roleName(this.context.deploymentName, this.context.regionId, name)}`);
    return {
      account: arn('root'),
      rotationRole: role('key-rotation'),
      signingRoles: [role('token'), role('canary')],
      breakGlassRole: config.breakGlassRoleArn,
    };
  }

  /** Allows actions only on these kinds of records in the table of signing keys. */
  private allowRecords(
    fn: ServiceFunction<FunctionName>,
    actions: readonly string[],
    ...recordTypes: readonly string[]
  ): void {
    const resources = this.tables.signingKeys;
    fn.allow(actions, resources, onlyItems(...recordTypes));
  }

  private add<F extends keyof typeof ofSource>(
    name: F,
    props: Omit<ServiceFunctionProps<F>, keyof FunctionContext | 'name' | 'settings'>,
  ): ServiceFunction<F> {
    const { config, regionId } = this.source;
    const reservedConcurrency = reservedFor(config, regionId, name);
    const answersRequests = ['token', 'discovery', 'jwks'].includes(name);
    // `key-rotation` is KeyRotation in the template.
    const id = name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return new ServiceFunction<F>(this, id, {
      ...this.context,
      name,
      ...props,
      // What a function of the union takes is what each of them takes.
      settings: ofSource[name](this.source) as ReturnType<(typeof ofSource)[F]>,
      reservedConcurrency,
      reportsFailuresOnly: answersRequests && config.functionReports === 'failures',
    });
  }

  private addToken(): ServiceFunction<'token'> {
    const fn = this.add('token', {
      description: 'Issues access tokens',
      memorySize: this.source.config.tokenFunction.memory,
      timeout: requestTimeout,
    });
    fn.allow(['dynamodb:GetItem'], this.tables.clients);
    // Records, once a day, that a secret was used. It cannot change a scope, group or lifetime.
    this.allowUse(fn, 'secrets');
    this.allowRecords(fn, ['dynamodb:Query'], records.key);
    if (this.source.config.federatedClients !== undefined) {
      fn.allow(['dynamodb:GetItem'], this.tables.identityProviders);
      // The same of an assertion.
      this.allowUse(fn, lastUseAttribute);
    }
    allowSign(fn, this.keys);
    return fn;
  }

  /** Allows updates of one attribute of clients, whose value is not returned. */
  private allowUse(fn: ServiceFunction<'token'>, attribute: string): void {
    fn.allow(['dynamodb:UpdateItem'], this.tables.clients, {
      ...onlyValues({ 'dynamodb:Attributes': [contract.clients.partitionKey, attribute] }),
      StringEqualsIfExists: { 'dynamodb:ReturnValues': 'NONE' },
    });
  }

  private addDiscovery(): ServiceFunction<'discovery'> {
    return this.add('discovery', {
      description: 'Serves the discovery documents',
      memorySize: documentMemory,
      timeout: requestTimeout,
    });
  }

  private addJwks(): ServiceFunction<'jwks'> {
    const fn = this.add('jwks', {
      description: 'Serves the public signing keys',
      memorySize: documentMemory,
      timeout: requestTimeout,
    });
    this.allowRecords(fn, ['dynamodb:Query'], records.key);
    return fn;
  }

  private addCanary(): ServiceFunction<'canary'> {
    const fn = this.add('canary', {
      description: 'Proves that a signing key verifies everywhere, and publishes new ones',
      memorySize: backgroundMemory,
      timeout: checkTimeout,
    });
    this.allowRecords(fn, ['dynamodb:Query'], records.key, records.heartbeat, records.intent);
    // The only role that adds a key to the JWKS. It signs anyway: it gains nothing by a key of its own.
    this.allowRecords(fn, ['dynamodb:PutItem', 'dynamodb:GetItem'], records.key);
    this.allowRecords(fn, ['dynamodb:PutItem'], records.canary);
    const token = functionArn(this, this.context.deploymentName, 'token');
    fn.allow(['lambda:InvokeFunction'], [`${token}:${liveAlias}`]);
    allowSign(fn, this.keys);
    allowInspection(fn);
    return fn;
  }

  private addDeploymentCheck(): ServiceFunction<'deployment-check'> {
    const fn = this.add('deployment-check', {
      description:
        'Refuses the config of another deployment, and one without the algorithm of a signing key in use',
      memorySize: backgroundMemory,
      timeout: Duration.minutes(deploymentCheckMinutes),
    });
    // By its name: the table itself waits for the check.
    const table = namedTableArn(this, deployedTableName(this.source.config, 'signingKeys'));
    // The first deployment has no table yet.
    fn.allow(['dynamodb:DescribeTable'], [table]);
    fn.allow(['dynamodb:Query'], [table], onlyItems(records.key, records.heartbeat));
    const token = functionArn(this, this.context.deploymentName, 'token');
    fn.allow(['lambda:GetFunctionConfiguration'], [`${token}:${liveAlias}`]);
    const reserving = reservationsOf(this.source.config, this.context.regionId);
    if (reserving.length > 0) {
      // It has no resource.
      fn.allow(['lambda:GetAccountSettings'], ['*']);
      const resources = reserving.map(({ name }) =>
        functionArn(this, this.context.deploymentName, name),
      );
      fn.allow(['lambda:GetFunctionConcurrency'], resources);
    }
    if (raisedQuotas(this.source.config, this.context.regionId).length > 0) {
      // It has no resource either.
      fn.allow(['servicequotas:GetServiceQuota'], ['*']);
    }
    return fn;
  }

  private addSyntheticCheck(): ServiceFunction<'synthetic-check'> {
    const fn = this.add('synthetic-check', {
      description: 'Gets a token and verifies it, on the public addresses',
      memorySize: backgroundMemory,
      timeout: checkTimeout,
    });
    // Only the item of its own client. The token path uses only the secrets of that item.
    fn.allow(
      ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
      this.tables.clients,
      onlyItems(syntheticClientId(this.context.regionId)),
    );
    return fn;
  }

  private addManagement(apiKeyUses: ITableV2): ServiceFunction<'management'> {
    const { config } = this.source;
    const fn = this.add('management', {
      description: 'Decides about changes of clients, API keys and identity providers',
      files: { [managementConfigFile]: formatManagementConfig(config) },
      memorySize: managementMemory,
      timeout: managementTimeout,
    });
    this.allowManagement(fn, apiKeyUses.tableArn);
    for (const name of managementAliases) {
      allowOtherAccounts(fn.addAlias(name), name, config.management.reach);
    }
    // CloudFormation invokes it with the permissions of who deploys the stack.
    const { stackReach = [] } = config.management;
    for (const account of new Set(stackReach.map((entry) => entry.account))) {
      const principal = new AccountPrincipal(account);
      const alias = fn.addAlias(stackAlias(account), stackEvents);
      alias.addPermission('Stacks', { principal });
      Validations.of(alias).acknowledge({
        id: 'Serverless::Serverless-LambdaAsyncFailureDestination',
        reason: 'CloudFormation waits for the response, and fails the resource without one.',
      });
    }
    return fn;
  }

  private addNotices(): ServiceFunction<'notices'> {
    const fn = this.add('notices', {
      description: 'Tells once a day which secrets and API keys expire',
      memorySize: noticesMemory,
      timeout: Duration.minutes(15),
    });
    fn.allow(['dynamodb:Scan'], [...this.tables.clients, ...this.tables.apiKeys]);
    return fn;
  }

  private addKeyRotation(): ServiceFunction<'key-rotation'> {
    const fn = this.add('key-rotation', {
      description: 'Creates, promotes and retires signing keys',
      memorySize: backgroundMemory,
      timeout: rotationTimeout,
    });
    const read = ['dynamodb:Query', 'dynamodb:GetItem'];
    this.allowRecords(fn, read, ...Object.values(records));
    this.allowRecords(fn, ['dynamodb:PutItem'], records.intent, records.heartbeat, records.choice);
    // What a key is, the rotation can neither add nor change: the canary publishes it.
    fn.allow(
      ['dynamodb:UpdateItem'],
      this.tables.signingKeys,
      onlyValues({
        'dynamodb:LeadingKeys': [records.key],
        'dynamodb:Attributes': [
          contract.signingKeys.partitionKey,
          contract.signingKeys.sortKey,
          ...changedSigningKeyAttributes,
        ],
      }),
    );
    fn.allow(['dynamodb:PutItem'], this.tables.audit);
    fn.allow(
      ['lambda:InvokeFunction'],
      [this.token.handler.functionArn, this.canary.handler.functionArn],
    );
    allowKeyManagement(fn, this.keys);
    return fn;
  }
  /**
   * What the management function may read and write.
   *
   * @param apiKeyUses ARN of the table of the days on which API keys were last used, in this region.
   */
  private allowManagement(fn: ServiceFunction<'management'>, apiKeyUses: string): void {
    const { config } = this.source;
    const { clients, apiKeys, identityProviders, settings, audit } = this.tables;
    fn.allow([...change, 'dynamodb:UpdateItem', 'dynamodb:Scan'], clients);
    for (const resources of [apiKeys, identityProviders]) {
      fn.allow([...change, 'dynamodb:Scan'], resources);
    }
    const owned = [...clients, ...apiKeys];
    fn.allow(['dynamodb:BatchGetItem'], owned);
    // A search reads every name.
    fn.allow(
      ['dynamodb:Query', 'dynamodb:Scan'],
      owned.map((arn) => `${arn}/index/${trunkGroupIndex.name}`),
    );
    this.allowRecords(fn, ['dynamodb:Query'], records.key, records.canary);
    const { limits, subject, issuer } = settingRecordTypes;
    fn.allow(['dynamodb:Query'], settings, onlyItems(limits, subject, issuer));
    fn.allow(
      ['dynamodb:GetItem', 'dynamodb:PutItem'],
      settings,
      onlyItems(...Object.values(settingRecordTypes)),
    );
    fn.allow(['dynamodb:Query', 'dynamodb:PutItem'], audit);
    const others = this.inOtherRegions(deployedTableName(config, 'audit'));
    if (others.length > 0) fn.allow(['dynamodb:Query'], others);
    const otherUses = this.inOtherRegions(apiKeyUseTableName(config.name));
    fn.allow(['dynamodb:BatchGetItem'], [apiKeyUses, ...otherUses]);
  }

  /** ARNs of a table of the other regions. */
  private inOtherRegions(name: string): string[] {
    const { config, regionId } = this.source;
    return deployedRegions(config)
      .filter(({ id }) => id !== regionId)
      .map(({ awsRegion }) => namedTableArn(this, name, awsRegion));
  }
}

/**
 * Lets roles of other accounts invoke an alias, if the config names them for it. In their own
 * account, they also need a policy that allows it.
 */
function allowOtherAccounts(
  alias: Alias,
  name: ManagementAlias,
  reach: DeploymentConfig['management']['reach'],
): void {
  const arns = reach
    .filter(({ aliases = [] }) => aliases.some((one) => one === name))
    .flatMap(({ principals }) => principals);
  arns.forEach((arn, index) => {
    alias.addPermission(`OtherAccount${index}`, { principal: new ArnPrincipal(arn) });
  });
}
