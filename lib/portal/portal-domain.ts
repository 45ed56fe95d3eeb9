import {
  DomainName,
  EndpointAccessMode,
  EndpointType,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { DomainConfig } from '../../contract/domain-config.ts';
import { tlsPolicy } from '../api/service-api.ts';

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
