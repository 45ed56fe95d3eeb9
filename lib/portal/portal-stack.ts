import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { reservedExecutions } from '../../contract/config-values.ts';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { portalEnvironment } from '../../contract/function-environments.ts';
import type { PortalConfig } from '../../contract/portal-config.ts';
import { formatPortalConfig, portalConfigFile } from '../../contract/portal-function-config.ts';
import { portalRules, WebAcl } from '../api/web-acl.ts';
import { functionArn } from '../functions/caller-arns.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { alarmTopicName } from '../monitoring/alarm-topic.ts';
import { PortalAlarms } from './portal-alarms.ts';
import { PortalApi } from './portal-api.ts';
import { PortalDomain } from './portal-domain.ts';
import { SessionKey } from './session-key.ts';

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
      reservedConcurrency: reservedExecutions(portal.reservedConcurrency),
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
