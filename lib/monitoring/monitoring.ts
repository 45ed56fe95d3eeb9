import { Duration } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type Alarm, ComparisonOperator } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import { noticeAlarmHours, noticeMetrics } from '../../contract/notices.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { BackupAlarms, type WatchedVault } from './event-alarm.ts';
import { KeyAlarms } from './key-alarms.ts';
import { type AlarmContext, AlarmTopic, addAlarm } from './service-alarm.ts';
import { certificateAlarm, ServiceAlarms, VersionAlarm } from './service-alarms.ts';
import { ServiceDashboard } from './service-dashboard.ts';
import { ServiceMetrics } from './service-metrics.ts';

interface MonitoringProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  /** Of the API. */
  readonly accessLog: ILogGroup;
  /** Undefined if the config has no backups. */
  readonly vault: WatchedVault | undefined;
}

/** The alarms of a region; in the first one also the dashboard. */
export class Monitoring extends Construct {
  /** Alarms that roll a new version of a function back. */
  readonly ofNewVersions: readonly Alarm[];
  readonly topic: ITopic;
  private readonly context: AlarmContext;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { config, regionId, accessLog, vault } = props;
    const { topic } = new AlarmTopic(this, 'AlarmTopic', {
      deploymentName: config.name,
      emails: config.alarmEmails,
    });
    this.topic = topic;
    const context = { deploymentName: config.name, regionId, topic };
    this.context = context;
    const keys = new KeyAlarms(this, 'KeyAlarms', context);
    const service = new ServiceAlarms(this, 'ServiceAlarms', { ...context, config, accessLog });
    this.ofNewVersions = service.ofNewVersions;
    const backups =
      vault === undefined
        ? []
        : new BackupAlarms(this, 'BackupAlarms', { ...context, vault }).alarms;
    if (config.dashboard === 'on' && regionId === deployedRegions(config)[0]?.id) {
      new ServiceDashboard(this, 'Dashboard', {
        config,
        alarms: [...service.alarms, ...keys.alarms, ...backups],
      });
    }
  }

  addCertificateAlarm(certificate: ICertificate): void {
    addAlarm(this, this.context, certificateAlarm(certificate, 'service'));
  }

  /** In the region that sends the notices. */
  addNoticesAlarm(): void {
    const metrics = new ServiceMetrics({ name: this.context.deploymentName });
    addAlarm(this, this.context, {
      id: 'notices-missed',
      description: `For ${noticeAlarmHours} hours no run has told what expires.`,
      metric: metrics.own('notices', noticeMetrics.told).with({ period: Duration.hours(1) }),
      operator: ComparisonOperator.LESS_THAN_THRESHOLD,
      periods: noticeAlarmHours,
      missingIsBad: true,
    });
  }

  /** Adds the alarm on clients that the newest version of the token function refuses. */
  addVersionAlarm(token: ServiceFunction<'token'>): Alarm {
    return new VersionAlarm(this, 'VersionAlarm', { ...this.context, token }).alarm;
  }
}
