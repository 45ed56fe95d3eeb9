import { RemovalPolicy, Size, Validations } from 'aws-cdk-lib';
import { EndpointType, LogGroupLogDestination, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { accessLogFormat, GatewayResponses } from '../api/gateway-responses.ts';
import { methodSettings, proxyTo, requireTls, stageName, untracedApi } from '../api/service-api.ts';
import { acknowledgeNoTracing } from '../functions/service-function.ts';

export interface PortalApiProps {
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
export class PortalApi extends Construct {
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
