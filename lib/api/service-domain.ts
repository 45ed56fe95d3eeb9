import { Duration } from 'aws-cdk-lib';
import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
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
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import { healthySearchString } from '../../contract/health.ts';
import type { RegionId } from '../../contract/regions.ts';
import { healthPath } from '../../contract/routes.ts';
import { tlsPolicy } from './service-api.ts';

export interface ServiceDomainProps {
  readonly domain: NonNullable<DeploymentConfig['domain']>;
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
 */
export class ServiceDomain extends Construct {
  /** Of both names. */
  readonly certificate: Certificate;
  private readonly zone: IHostedZone;
  private readonly props: ServiceDomainProps;

  constructor(scope: Construct, id: string, props: ServiceDomainProps) {
    super(scope, id);
    this.props = props;
    const { domain, regionId, awsRegion, shared } = props;
    this.zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.hostedZoneName,
    });
    const ownHost = regionalHost(domain.name, regionId);
    this.certificate = this.addCertificate(domain.name, ownHost);
    this.addHost('Region', ownHost);
    this.addHost(
      'Default',
      domain.name,
      // One region also gets a latency record: an update cannot convert a simple record to one, and
      // regions may be added later (docs/procedures/one-region-to-three.md).
      {
        region: awsRegion,
        setIdentifier: regionId,
        ...(shared && { healthCheck: this.addHealthCheck(ownHost) }),
      },
    );
  }

  private addCertificate(domainName: string, ownHost: string): Certificate {
    return new Certificate(this, 'Certificate', {
      domainName,
      subjectAlternativeNames: [ownHost],
      validation: CertificateValidation.fromDns(this.zone),
    });
  }

  private addHost(id: string, host: string, routing: Partial<ARecordProps> = {}): void {
    const domainName = new DomainName(this, `${id}Name`, {
      domainName: host,
      certificate: this.certificate,
      endpointType: EndpointType.REGIONAL,
      securityPolicy: tlsPolicy,
      endpointAccessMode: EndpointAccessMode.STRICT,
      mapping: this.props.restApi,
    });
    new ARecord(this, `${id}Record`, {
      zone: this.zone,
      recordName: `${host}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(domainName)),
      ...routing,
    });
  }

  /**
   * Only a region that can issue tokens passes this check. API Gateway's own health, which an alias
   * record could evaluate, does not cover functions, tables and keys.
   */
  private addHealthCheck(ownHost: string): IHealthCheck {
    return new HealthCheck(this, 'HealthCheck', {
      type: HealthCheckType.HTTPS_STR_MATCH,
      fqdn: ownHost,
      resourcePath: healthPath,
      searchString: healthySearchString,
      enableSNI: true,
      // Several checkers send requests at this interval: about one every other second in total.
      requestInterval: Duration.seconds(30),
      // Three in a row: a single lost request must not move a region's traffic.
      failureThreshold: 3,
    });
  }
}
