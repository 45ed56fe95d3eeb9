import { Duration } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ComparisonOperator, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { functionName } from '../../contract/function-names.ts';
import { stageName } from '../api/service-api.ts';
import { certificateAlarmDays } from '../monitoring/monitoring.ts';
import { type AlarmContext, addAlarm } from '../monitoring/service-alarm.ts';

export interface PortalAlarmsProps extends AlarmContext {
  readonly apiName: string;
  readonly certificate: ICertificate;
}

/** The alarms of the portal, on the topic of its region. */
export class PortalAlarms extends Construct {
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
