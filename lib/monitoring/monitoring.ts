import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type DeploymentConfig, deployedRegions } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { ServiceFunction } from '../functions/service-function.ts';
import { addBackupAlarms, type WatchedVault } from './event-alarm.ts';
import { addKeyAlarms } from './key-alarms.ts';
import { type AlarmContext, addAlarm, addAlarmTopic } from './service-alarm.ts';
import {
  addServiceAlarms,
  addVersionAlarm,
  certificateAlarm,
  noticesAlarm,
} from './service-alarms.ts';
import { addDashboard } from './service-dashboard.ts';
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
    const part = (name: string) => new Construct(this, name);
    this.topic = addAlarmTopic(part('AlarmTopic'), config);
    const context = { deploymentName: config.name, regionId, topic: this.topic };
    this.context = context;
    const ofKeys = addKeyAlarms(part('KeyAlarms'), context);
    const service = addServiceAlarms(part('ServiceAlarms'), context, config, accessLog);
    this.ofNewVersions = service.ofNewVersions;
    const backups = vault ? addBackupAlarms(part('BackupAlarms'), context, vault) : [];
    if (config.dashboard === 'on' && regionId === deployedRegions(config)[0]?.id) {
      addDashboard(part('Dashboard'), config, [...service.alarms, ...ofKeys, ...backups]);
    }
  }

  addCertificateAlarm(certificate: ICertificate): void {
    addAlarm(this, this.context, certificateAlarm(certificate, 'service'));
  }

  addNoticesAlarm(): void {
    const metrics = new ServiceMetrics({ name: this.context.deploymentName });
    addAlarm(this, this.context, noticesAlarm(metrics));
  }

  /** Adds the alarm on clients that the newest version of the token function refuses. */
  addVersionAlarm(token: ServiceFunction<'token'>): Alarm {
    return addVersionAlarm(new Construct(this, 'VersionAlarm'), this.context, token);
  }
}
