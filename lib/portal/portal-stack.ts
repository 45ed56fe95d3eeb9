import {
  CfnOutput,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
  Validations,
} from 'aws-cdk-lib';
import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
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
import type { PortalConfig } from '../../contract/portal-config.ts';
import { reservedFor } from '../../contract/reservations.ts';
import { tlsPolicy } from '../api/service-api.ts';
import { portalRules, WebAcl } from '../api/web-acl.ts';
import { functionArn, ServiceFunction } from '../functions/service-function.ts';
import { alarmTopicName } from '../monitoring/alarm-topic.ts';
import { PortalAlarms } from './portal-alarms.ts';
import { PortalApi } from './portal-api.ts';

export interface PortalStackProps extends StackProps {
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
export class SessionKey extends Construct {
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

export interface PortalDomainProps {
  readonly domain: DomainConfig;
  readonly restApi: RestApi;
}

/** Serves the portal under a host of its own. */
export class PortalDomain extends Construct {
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
