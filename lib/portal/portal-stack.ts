import {
  CfnOutput,
  Duration,
  RemovalPolicy,
  Size,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  LogGroupLogDestination,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import {
  Certificate,
  CertificateValidation,
  type ICertificate,
} from 'aws-cdk-lib/aws-certificatemanager';
import { ComparisonOperator, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { DomainConfig } from '../../contract/config-values.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import {
  formatPortalConfig,
  portalConfigFile,
  portalEnvironment,
} from '../../contract/function-environments.ts';
import { functionName } from '../../contract/function-names.ts';
import type { PortalConfig } from '../../contract/portal-config.ts';
import { reservedFor } from '../../contract/reservations.ts';
import { accessLogFormat, GatewayResponses } from '../api/gateway-responses.ts';
import {
  methodSettings,
  proxyTo,
  requireTls,
  stageName,
  tlsPolicy,
  untracedApi,
} from '../api/service-api.ts';
import { portalRules, WebAcl } from '../api/web-acl.ts';
import {
  acknowledgeNoTracing,
  functionArn,
  ServiceFunction,
} from '../functions/service-function.ts';
import { certificateAlarmDays } from '../monitoring/monitoring.ts';
import { type AlarmContext, addAlarm, alarmTopicName } from '../monitoring/service-alarm.ts';

interface PortalStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly portal: PortalConfig;
  /** Folder of the function bundles, e.g. `dist/lambda`. */
  readonly bundles: string;
}

/** Starts within a second. */
const memory = 1769;

/** API Gateway waits 29 s. */
const timeout = Duration.seconds(28);

/**
 * The portal for customers, in one region: one function behind an API, a domain and a web ACL of
 * its own. It is connected to the rest of the deployment only by names.
 */
export class PortalStack extends Stack {
  readonly url: string;
  readonly function: ServiceFunction<'portal'>;
  private readonly props: PortalStackProps;

  constructor(scope: Construct, id: string, props: PortalStackProps) {
    super(scope, id, props);
    this.props = props;
    const { portal } = props;
    this.url = `https://${portal.domain.name}/`;
    const sessionKey = new SessionKey(this, 'SessionKey');
    this.function = this.addFunction(sessionKey.secret);
    const api = this.addApi(this.function.addLive());
    const { certificate } = new PortalDomain(this, 'Domain', {
      domain: portal.domain,
      restApi: api.restApi,
    });
    new PortalAlarms(this, 'Alarms', { ...this.alarmContext(), apiName: api.name, certificate });
    new CfnOutput(this, 'PortalUrl', { value: this.url });
    new CfnOutput(this, 'RedirectUri', { value: `${this.url}login/callback` });
    new CfnOutput(this, 'SessionKeySecret', { value: sessionKey.secret.secretArn });
  }

  /** Exactly what the portal may do: ask as the portal, and read its own two secrets. */
  private addFunction(sessionKey: ISecret): ServiceFunction<'portal'> {
    const { config, portal, bundles } = this.props;
    const managementFunction = functionArn(this, config.name, 'management');
    const fn = new ServiceFunction(this, 'Function', {
      deploymentName: config.name,
      regionId: portal.region,
      tracing: config.tracing,
      bundles,
      name: 'portal',
      description: 'Serves the portal for customers',
      files: { [portalConfigFile]: formatPortalConfig(portal, config.management) },
      environment: portalEnvironment({
        managementFunction,
        sessionKeySecret: sessionKey.secretArn,
      }),
      memorySize: memory,
      timeout,
      reservedConcurrency: reservedFor(config, portal.region, 'portal'),
    });
    fn.allow({ actions: ['lambda:InvokeFunction'], resources: [`${managementFunction}:portal`] });
    fn.allow({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [sessionKey.secretArn, portal.login.clientSecretArn],
    });
    this.allowDecrypt(fn, [sessionKey.secretArn, portal.login.clientSecretArn]);
    return fn;
  }

  /**
   * Only these secrets, and only through Secrets Manager, which names the secret to KMS:
   * https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html, November
   * 2026. The request is then one of Secrets Manager, so it does not name the function.
   */
  private allowDecrypt(fn: ServiceFunction<'portal'>, secretArns: readonly string[]): void {
    const { config, portal } = this.props;
    const key = config.regions[portal.region]?.encryptionKeyArn;
    if (key === undefined) return;
    fn.role.addToPolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt'],
        resources: [key],
        conditions: {
          StringEquals: {
            'kms:ViaService': `secretsmanager.${this.region}.amazonaws.com`,
            'kms:EncryptionContext:SecretARN': secretArns,
          },
        },
      }),
    );
  }

  private addApi(live: Alias): PortalApi {
    const { config, portal } = this.props;
    const api = new PortalApi(this, 'Api', {
      name: `${config.name}-portal`,
      live,
      tracing: config.tracing,
    });
    new WebAcl(this, 'WebAcl', {
      name: api.name,
      stage: api.restApi.deploymentStage,
      rules: portalRules(portal.requestsPerFiveMinutes),
      redactedHeaders: ['cookie'],
    });
    return api;
  }

  private alarmContext() {
    const { config, portal } = this.props;
    const resource = alarmTopicName(config.name);
    const arn = this.formatArn({ service: 'sns', resource });
    const topic = Topic.fromTopicArn(this, 'AlarmTopic', arn);
    return { deploymentName: config.name, regionId: portal.region, topic };
  }
}

/** 62 letters and digits each: 381 bits. */
const sessionKeyLength = 64;

/**
 * The secret that the keys of sealed cookies are made of. Secrets Manager draws it. It has no name
 * of its own, because a deleted name is taken for a week.
 */
class SessionKey extends Construct {
  readonly secret: Secret;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Seals the sessions of the portal',
      generateSecretString: { passwordLength: sessionKeyLength, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'One command rotates it, and the version before is still read (docs/portal.md). A function that rotates it would be able to read and write it.',
    });
  }
}

interface PortalDomainProps {
  readonly domain: DomainConfig;
  readonly restApi: RestApi;
}

/** Serves the portal under a host of its own. */
class PortalDomain extends Construct {
  readonly certificate: Certificate;

  constructor(scope: Construct, id: string, { domain, restApi }: PortalDomainProps) {
    super(scope, id);
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.hostedZoneName,
    });
    this.certificate = new Certificate(this, 'Certificate', {
      domainName: domain.name,
      validation: CertificateValidation.fromDns(zone),
    });
    const name = new DomainName(this, 'Name', {
      domainName: domain.name,
      certificate: this.certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: tlsPolicy,
      endpointAccessMode: EndpointAccessMode.STRICT,
      mapping: restApi,
    });
    new ARecord(this, 'Record', {
      zone,
      recordName: `${domain.name}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(name)),
    });
  }
}

interface PortalApiProps {
  /** Of the API and its log. */
  readonly name: string;
  readonly live: Alias;
  readonly tracing: 'on' | 'off';
}

/** People click, and a page has four requests. More requests a second come from a program. */
const throttle = { throttlingRateLimit: 100, throttlingBurstLimit: 200 };

/**
 * API Gateway compresses larger responses: a page of 315 KiB is 18. BREACH needs a secret that stays
 * the same in many pages next to text of the attacker's choice. No page of the portal has one: a
 * secret is shown once, in the response to a POST that a page of the portal sent, and sessions are
 * in cookies. Forms have no token: the browser says which page sent them (docs/portal.md).
 */
const minCompressionSize = Size.kibibytes(1);

/** The API of the portal. Every path and method goes to its function, which knows the routes. */
class PortalApi extends Construct {
  readonly name: string;
  readonly restApi: RestApi;

  constructor(scope: Construct, id: string, { name, live, tracing }: PortalApiProps) {
    super(scope, id);
    this.name = name;
    this.restApi = new RestApi(this, 'RestApi', {
      restApiName: name,
      description: 'Portal for customers of the authorization server',
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: true,
      cloudWatchRole: false,
      minCompressionSize,
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(this.addAccessLog()),
        accessLogFormat,
        tracingEnabled: tracing === 'on',
        ...methodSettings,
        ...throttle,
      },
    });
    // CDK's own output names a closed host.
    this.restApi.node.tryRemoveChild('Endpoint');
    requireTls(this.restApi);
    this.addMethods(live);
    new GatewayResponses(this, 'GatewayResponses', { restApi: this.restApi, asPages: true });
    this.acknowledge();
    if (tracing === 'off') acknowledgeNoTracing(this.restApi.deploymentStage, untracedApi);
  }

  private addMethods(live: Alias): void {
    const integration = proxyTo(live);
    const { root } = this.restApi;
    for (const resource of [root, root.addResource('{proxy+}')]) {
      resource.addMethod('ANY', integration);
    }
    live.addPermission('Invoke', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.restApi.arnForExecuteApi('*', '/*', stageName),
    });
  }

  private addAccessLog(): LogGroup {
    return new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/apigateway/${this.name}/access`,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
  }

  private acknowledge(): void {
    Validations.of(this.restApi).acknowledge(
      {
        id: 'AwsSolutions::AwsSolutions-APIG2',
        reason: 'The function parses every form and shows what is wrong with a field, as a page.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-APIG4',
        reason:
          "People sign in at the company's OpenID provider, and the function checks their session.",
      },
      {
        id: 'AwsSolutions::AwsSolutions-COG4',
        reason: "People sign in at the company's OpenID provider; there is no user pool.",
      },
    );
  }
}

interface PortalAlarmsProps extends AlarmContext {
  readonly apiName: string;
  readonly certificate: ICertificate;
}

/** The alarms of the portal, on the topic of its region. */
class PortalAlarms extends Construct {
  private readonly props: PortalAlarmsProps;

  constructor(scope: Construct, id: string, props: PortalAlarmsProps) {
    super(scope, id);
    this.props = props;
    this.addApiErrors();
    this.addFunctionErrors();
    this.addThrottles();
    this.addCertificate();
  }

  private addApiErrors(): void {
    addAlarm(this, this.props, {
      id: 'portal-errors',
      description: 'The portal answers with server errors.',
      metric: new Metric({
        namespace: 'AWS/ApiGateway',
        metricName: '5XXError',
        dimensionsMap: { ApiName: this.props.apiName, Stage: stageName },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      threshold: 5,
      periods: 3,
      badPeriods: 2,
    });
  }

  private ofFunction(metricName: string): Metric {
    return new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { FunctionName: functionName(this.props.deploymentName, 'portal') },
      statistic: 'Sum',
      period: Duration.minutes(5),
    });
  }

  private addFunctionErrors(): void {
    addAlarm(this, this.props, {
      id: 'portal-function-errors',
      page: 'function-errors',
      description: 'The portal function ends with errors: it crashed or ran out of time.',
      metric: this.ofFunction('Errors'),
      periods: 3,
      badPeriods: 2,
    });
  }

  private addThrottles(): void {
    addAlarm(this, this.props, {
      id: 'portal-function-throttled',
      page: 'function-throttled',
      description: 'The portal function has no concurrency left, so Lambda refuses requests.',
      metric: this.ofFunction('Throttles'),
      periods: 3,
      badPeriods: 2,
    });
  }

  private addCertificate(): void {
    addAlarm(this, this.props, {
      id: 'portal-certificate-expiry',
      page: 'certificate-expiry',
      description: `The certificate of the portal expires within ${certificateAlarmDays} days, because ACM could not renew it.`,
      metric: this.props.certificate.metricDaysToExpiry({
        statistic: 'Minimum',
        period: Duration.days(1),
      }),
      operator: ComparisonOperator.LESS_THAN_THRESHOLD,
      threshold: certificateAlarmDays,
    });
  }
}
