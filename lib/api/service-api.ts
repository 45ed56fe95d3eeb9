import { Duration, RemovalPolicy, type Size, Stack, Validations } from 'aws-cdk-lib';
import {
  AwsIntegration,
  type CfnRestApi,
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type Integration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  RestApi,
  SecurityPolicy,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  ARecord,
  type ARecordProps,
  HealthCheck,
  HealthCheckType,
  HostedZone,
  type IHealthCheck,
  type IHostedZone,
  RecordTarget,
} from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { regionalHost } from '../../contract/addresses.ts';
import type { DomainConfig } from '../../contract/config-values.ts';
import type { RegionId } from '../../contract/regions.ts';
import {
  type HttpFunctionName,
  healthPath,
  type Route,
  type RouteOptions,
  routesOf,
  type Throttles,
} from '../../contract/routes.ts';
import { acknowledgeNoTracing } from '../functions/service-function.ts';
import { accessLogFormat, addGatewayResponses } from './gateway-responses.ts';

/** A literal, because the issuer contains it before the stage exists. */
export const stageName = 'live';

/** Post-quantum key exchange if the caller supports it, TLS 1.2 for older callers. */
const tlsPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

interface ServiceApiProps {
  readonly deploymentName: string;
  /** Whether callers use a custom domain. The API's own host is then closed. */
  readonly hasDomain: boolean;
  readonly throttles: Throttles;
  /** Which paths there are in addition to those of every deployment. */
  readonly routeOptions: RouteOptions;
  /** Whether the stage has a web ACL. */
  readonly hasWebAcl: boolean;
  readonly tracing: 'on' | 'off';
}

/** The REST API of one region. Routes and their throttles come from the route table. */
export class ServiceApi extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  private readonly routes: readonly Route[];

  constructor(scope: Construct, id: string, props: ServiceApiProps) {
    super(scope, id);
    // Without a domain each path begins with the stage, so no path can be at the origin's root.
    this.routes = routesOf(props.routeOptions).filter(
      (route) => props.hasDomain || route.atOrigin !== true,
    );
    const { restApi, accessLog } = addRestApi(this, {
      name: props.deploymentName,
      description: 'OAuth 2.0 authorization server',
      isClosed: props.hasDomain,
      tracing: props.tracing,
      deployOptions: {
        // The gateway refuses unknown paths, which costs nothing.
        throttlingRateLimit: 100,
        throttlingBurstLimit: 100,
        methodOptions: Object.fromEntries(
          this.routes.flatMap((route) => methodOptions(route, props.throttles)),
        ),
      },
    });
    this.restApi = restApi;
    this.accessLog = accessLog;
    this.acknowledge(props.hasWebAcl);
    addGatewayResponses(new Construct(this, 'GatewayResponses'), restApi);
  }

  /** The API's address without a domain, including the stage. Known before the stage exists. */
  get address(): string {
    const { region, urlSuffix } = Stack.of(this);
    return `https://${this.restApi.restApiId}.execute-api.${region}.${urlSuffix}/${stageName}`;
  }

  /** Connects every route to its function. */
  addRoutes(functions: Readonly<Record<HttpFunctionName, IFunction>>): void {
    for (const route of this.routes) this.addRoute(route, functions[route.function]);
  }

  private addRoute(route: Route, handler: IFunction): void {
    const resource = this.restApi.root.resourceForPath(route.path);
    const integration = proxyTo(handler);
    // ANY: a wrong method gets our 405 and not the gateway's 403.
    for (const method of [...route.methods, 'ANY']) resource.addMethod(method, integration);
    handler.addPermission(`Invoke ${route.path}`, {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: this.restApi.arnForExecuteApi('*', route.path, stageName),
    });
  }

  private acknowledge(hasWebAcl: boolean): void {
    const noWebAcl = {
      id: 'AwsSolutions::AwsSolutions-APIG3',
      reason:
        'The configuration has no web ACL, which has a monthly price: method throttles and cheap refusals protect a small deployment.',
    };
    Validations.of(this.restApi).acknowledge(
      ...(hasWebAcl ? [] : [noWebAcl]),
      {
        id: 'AwsSolutions::AwsSolutions-APIG2',
        reason:
          "The functions parse every request strictly and answer in the protocol's own error shape, which API Gateway's validators cannot.",
      },
      {
        id: 'AwsSolutions::AwsSolutions-APIG4',
        reason:
          'The token endpoint authenticates clients by HTTP Basic in the function (RFC 6749 §3.2.1); discovery, JWKS and health are public.',
      },
      {
        id: 'AwsSolutions::AwsSolutions-COG4',
        reason: 'This service is the authorization server; it has no Cognito user pool.',
      },
    );
  }
}

/** Settings of a method replace those of the stage, so each method has all settings. */
const methodSettings = {
  loggingLevel: MethodLoggingLevel.ERROR,
  // A data trace would log the Authorization header and the body.
  dataTraceEnabled: false,
  // A cached token response would be one client's token for another.
  cachingEnabled: false,
  // The functions' own metrics are more detailed, and these cost money per method.
  metricsEnabled: false,
} satisfies MethodDeploymentOptions;

interface RestApiProps {
  /** Of the API and its log. */
  readonly name: string;
  readonly description: string;
  /** Whether callers use a custom domain, and the API's own host refuses them. */
  readonly isClosed: boolean;
  readonly tracing: 'on' | 'off';
  readonly deployOptions: StageOptions;
  readonly minCompressionSize?: Size;
}

/** A regional API with its access log. */
export function addRestApi(scope: Construct, props: RestApiProps) {
  const { name, description, minCompressionSize, isClosed, tracing } = props;
  const accessLog = new LogGroup(scope, 'AccessLog', {
    logGroupName: `/aws/apigateway/${name}/access`,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const restApi = new RestApi(scope, 'RestApi', {
    restApiName: name,
    description,
    endpointTypes: [EndpointType.REGIONAL],
    disableExecuteApiEndpoint: isClosed,
    cloudWatchRole: false,
    ...(minCompressionSize !== undefined && { minCompressionSize }),
    deployOptions: {
      stageName,
      accessLogDestination: new LogGroupLogDestination(accessLog),
      accessLogFormat,
      tracingEnabled: tracing === 'on',
      ...methodSettings,
      ...props.deployOptions,
    },
  });
  addExecutionLog(scope, restApi);
  // CDK's own output. With a domain it names a closed host.
  restApi.node.tryRemoveChild('Endpoint');
  // The L2 construct has no property for these.
  const resource = restApi.node.defaultChild as CfnRestApi;
  resource.securityPolicy = tlsPolicy;
  // The name in the TLS handshake and in the Host header must agree.
  resource.endpointAccessMode = EndpointAccessMode.STRICT;
  if (tracing === 'off') {
    acknowledgeNoTracing(restApi.deploymentStage, 'Serverless::Serverless-APIGWXrayEnabled');
  }
  return { restApi, accessLog };
}

/**
 * API Gateway would make this log group itself, for ever and without the company's key. The id of
 * the API is in its name, so it goes with the API.
 */
function addExecutionLog(scope: Construct, restApi: RestApi): void {
  const executionLog = new LogGroup(scope, 'ExecutionLog', {
    logGroupName: `API-Gateway-Execution-Logs_${restApi.restApiId}/${stageName}`,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  restApi.deploymentStage.node.addDependency(executionLog);
}

function methodOptions(
  route: Route,
  throttles: Throttles,
): readonly (readonly [string, MethodDeploymentOptions])[] {
  const { rateLimit, burstLimit } = throttles[route.throttle];
  return [...route.methods, 'ANY'].map((method) => [
    `${route.path}/${method}`,
    { ...methodSettings, throttlingRateLimit: rateLimit, throttlingBurstLimit: burstLimit },
  ]);
}

/** A proxy integration without the per-method permissions that CDK's own adds. */
export function proxyTo(handler: IFunction): Integration {
  return new AwsIntegration({
    proxy: true,
    service: 'lambda',
    path: `2015-03-31/functions/${handler.functionArn}/invocations`,
  });
}

/** The zone of a domain, and a certificate for its name and for others of the same zone. */
export function addCertificate(scope: Construct, domain: DomainConfig, others?: string[]) {
  const zone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', {
    hostedZoneId: domain.hostedZoneId,
    zoneName: domain.hostedZoneName,
  });
  const certificate = new Certificate(scope, 'Certificate', {
    domainName: domain.name,
    ...(others !== undefined && { subjectAlternativeNames: others }),
    validation: CertificateValidation.fromDns(zone),
  });
  return { zone, certificate };
}

interface HostProps {
  readonly host: string;
  readonly zone: IHostedZone;
  readonly certificate: Certificate;
  readonly restApi: RestApi;
  readonly routing?: Partial<ARecordProps>;
}

/** Serves an API under a host. */
export function addHost(scope: Construct, id: string, props: HostProps): void {
  const { host, zone, certificate, restApi, routing } = props;
  const domainName = new DomainName(scope, `${id}Name`, {
    domainName: host,
    certificate,
    endpointType: EndpointType.REGIONAL,
    securityPolicy: tlsPolicy,
    endpointAccessMode: EndpointAccessMode.STRICT,
    mapping: restApi,
  });
  new ARecord(scope, `${id}Record`, {
    zone,
    recordName: `${host}.`,
    target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
    ...routing,
  });
}

/**
 * Where Route 53 asks from, of eight: three are the fewest that it takes. Each request has a price.
 * When two of them lose the way to a region, the third still keeps it in service.
 */
const checkerRegions = ['us-east-1', 'us-west-2', 'eu-west-1'] as const;

interface ServiceDomainProps {
  readonly domain: DomainConfig;
  readonly regionId: RegionId;
  readonly awsRegion: string;
  /** Whether other regions serve the same name. */
  readonly shared: boolean;
  readonly restApi: RestApi;
}

/**
 * Serves the API under the deployment's name and under the region's own. If several regions share
 * the name, DNS sends each caller to the nearest healthy region. When a region is lost, no call to
 * a control plane is needed.
 *
 * @returns the certificate of both names.
 */
export function addServiceDomain(scope: Construct, props: ServiceDomainProps): Certificate {
  const { domain, regionId, awsRegion, shared, restApi } = props;
  const ownHost = regionalHost(domain.name, regionId);
  const { zone, certificate } = addCertificate(scope, domain, [ownHost]);
  addHost(scope, 'Region', { host: ownHost, zone, certificate, restApi });
  // One region also gets a latency record: an update cannot convert a simple record to one, and
  // regions may be added later (docs/procedures/one-region-to-three.md).
  const routing = {
    region: awsRegion,
    setIdentifier: regionId,
    ...(shared && { healthCheck: addHealthCheck(scope, ownHost) }),
  };
  addHost(scope, 'Default', { host: domain.name, zone, certificate, restApi, routing });
  return certificate;
}

/**
 * Only a region that can issue tokens passes this check: others answer 503, 429 or 403, or not at
 * all, so a search for a text in the body, which costs more than the check, would find nothing
 * else. API Gateway's own health, which an alias record could evaluate, does not cover functions,
 * tables and keys.
 */
function addHealthCheck(scope: Construct, ownHost: string): IHealthCheck {
  return new HealthCheck(scope, 'HealthCheck', {
    type: HealthCheckType.HTTPS,
    fqdn: ownHost,
    resourcePath: healthPath,
    enableSNI: true,
    regions: [...checkerRegions],
    // Several checkers send requests at this interval: about one every five seconds in total.
    requestInterval: Duration.seconds(30),
    // Three in a row: a single lost request must not move a region's traffic.
    failureThreshold: 3,
  });
}
