import {
  CfnOutput,
  Duration,
  RemovalPolicy,
  Size,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import {
  formatPortalConfig,
  functionSettings,
  portalConfigFile,
} from '../../contract/function-settings.ts';
import { partitionOf } from '../../contract/partitions.ts';
import type { PortalConfig } from '../../contract/portal-config.ts';
import { reservedFor } from '../../contract/reservations.ts';
import { addGatewayResponses } from '../api/gateway-responses.ts';
import { addCertificate, addHost, addRestApi, proxyTo, stageName } from '../api/service-api.ts';
import { addWebAcl, portalRules } from '../api/web-acl.ts';
import { functionArn, ServiceFunction } from '../functions/service-function.ts';
import { type AlarmProps, addAlarm, alarmTopicName } from '../monitoring/service-alarm.ts';
import { certificateAlarm, functionErrors } from '../monitoring/service-alarms.ts';
import { ServiceMetrics } from '../monitoring/service-metrics.ts';

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
  private readonly apiName: string;

  constructor(scope: Construct, id: string, props: PortalStackProps) {
    super(scope, id, props);
    this.apiName = `${props.config.name}-portal`;
    this.props = props;
    const { portal } = props;
    this.url = `https://${portal.domain.name}/`;
    const sessionKey = addSessionKey(new Construct(this, 'SessionKey'));
    this.function = this.addFunction(sessionKey);
    const restApi = this.addApi(this.function.addLive());
    this.addAlarms(this.addDomain(restApi));
    new CfnOutput(this, 'PortalUrl', { value: this.url });
    new CfnOutput(this, 'RedirectUri', { value: `${this.url}login/callback` });
    new CfnOutput(this, 'SessionKeySecret', { value: sessionKey.secretArn });
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
      settings: functionSettings.portal({
        managementFunction,
        sessionKeySecret: sessionKey.secretArn,
      }),
      memorySize: memory,
      timeout,
      reservedConcurrency: reservedFor(config, portal.region, 'portal'),
    });
    fn.allow(['lambda:InvokeFunction'], [`${managementFunction}:portal`]);
    fn.allow(
      ['secretsmanager:GetSecretValue'],
      [sessionKey.secretArn, portal.login.clientSecretArn],
    );
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
            'kms:ViaService': [...new Set(['amazonaws.com', partitionOf(this.region).domain])].map(
              (domain) => `secretsmanager.${this.region}.${domain}`,
            ),
            'kms:EncryptionContext:SecretARN': secretArns,
          },
        },
      }),
    );
  }

  private addApi(live: Alias): RestApi {
    const { config, portal } = this.props;
    const restApi = addPortalApi(new Construct(this, 'Api'), this.apiName, live, config.tracing);
    addWebAcl(new Construct(this, 'WebAcl'), {
      name: this.apiName,
      stage: restApi.deploymentStage,
      rules: portalRules(portal.requestsPerFiveMinutes),
      redactedHeaders: ['cookie'],
    });
    return restApi;
  }

  /** Serves the portal under a host of its own. */
  private addDomain(restApi: RestApi): ICertificate {
    const { domain } = this.props.portal;
    const scope = new Construct(this, 'Domain');
    const { zone, certificate } = addCertificate(scope, domain);
    addHost(scope, '', { host: domain.name, zone, certificate, restApi });
    return certificate;
  }

  /** The alarms of the portal, on the topic of its region. */
  private addAlarms(certificate: ICertificate): void {
    const { config, portal } = this.props;
    const resource = alarmTopicName(config.name);
    const arn = this.formatArn({ service: 'sns', resource });
    const topic = Topic.fromTopicArn(this, 'AlarmTopic', arn);
    const context = { deploymentName: config.name, regionId: portal.region, topic };
    const metrics = new ServiceMetrics(config);
    const alarms: readonly AlarmProps[] = [
      {
        id: 'portal-errors',
        isTicket: true,
        description: 'The portal answers with server errors.',
        metric: metrics.ofApi('5XXError', { minutes: 5 }, this.apiName),
        threshold: 5,
        bad: [2, 3],
      },
      functionErrors(metrics, 'portal'),
      {
        id: 'portal-function-throttled',
        page: 'function-throttled',
        isTicket: true,
        description: 'The portal function has no concurrency left, so Lambda refuses requests.',
        metric: metrics.ofFunction('portal', 'Throttles', { minutes: 5 }),
        bad: [2, 3],
      },
      certificateAlarm(certificate, 'portal'),
    ];
    const scope = new Construct(this, 'Alarms');
    for (const alarm of alarms) addAlarm(scope, context, alarm);
  }
}

/** 62 letters and digits each: 381 bits. */
const sessionKeyLength = 64;

/**
 * The secret that the keys of sealed cookies are made of. Secrets Manager draws it. It has no name
 * of its own, because a deleted name is taken for a week.
 */
function addSessionKey(scope: Construct): Secret {
  const secret = new Secret(scope, 'Secret', {
    description: 'Seals the sessions of the portal',
    generateSecretString: { passwordLength: sessionKeyLength, excludePunctuation: true },
    removalPolicy: RemovalPolicy.DESTROY,
  });
  Validations.of(secret).acknowledge({
    id: 'AwsSolutions::AwsSolutions-SMG4',
    reason:
      'One command rotates it, and the version before is still read (docs/portal.md). A function that rotates it would be able to read and write it.',
  });
  return secret;
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
function addPortalApi(
  scope: Construct,
  name: string,
  live: Alias,
  tracing: DeploymentConfig['tracing'],
): RestApi {
  const { restApi } = addRestApi(scope, {
    name,
    description: 'Portal for customers of the authorization server',
    isClosed: true,
    tracing,
    minCompressionSize,
    deployOptions: throttle,
  });
  const { root } = restApi;
  for (const resource of [root, root.addResource('{proxy+}')]) {
    resource.addMethod('ANY', proxyTo(live));
  }
  live.addPermission('Invoke', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: restApi.arnForExecuteApi('*', '/*', stageName),
  });
  addGatewayResponses(new Construct(scope, 'GatewayResponses'), restApi, true);
  Validations.of(restApi).acknowledge(
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
  return restApi;
}
