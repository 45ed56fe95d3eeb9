import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { DeploymentConfig } from '../../contract/deployment-config.ts';
import type { RegionId } from '../../contract/regions.ts';
import type { ServiceFunctions } from '../functions/service-functions.ts';
import { addBackupAlarms, type WatchedVault } from './event-alarm.ts';
import { addKeyAlarms } from './key-alarms.ts';
import { addAlarm, addAlarmTopic } from './service-alarm.ts';
import {
  addServiceAlarms,
  addVersionAlarm,
  certificateAlarm,
  noticesAlarm,
} from './service-alarms.ts';
import { ServiceMetrics } from './service-metrics.ts';

interface MonitoringProps {
  readonly config: DeploymentConfig;
  readonly regionId: RegionId;
  /** Of the API. */
  readonly accessLog: ILogGroup;
  /** Undefined if the config has no backups. */
  readonly vault: WatchedVault | undefined;
  /** Undefined if the config has no domain. */
  readonly certificate: ICertificate | undefined;
  readonly functions: Pick<ServiceFunctions, 'token' | 'notices'>;
}

/** The alarms of a region. */
export class Monitoring extends Construct {
  /** Alarms that roll a new version of a function back. */
  readonly ofNewVersions: readonly Alarm[];
  readonly topic: ITopic;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { config, regionId, accessLog, vault, certificate, functions } = props;
    const part = (name: string) => new Construct(this, name);
    this.topic = addAlarmTopic(part('AlarmTopic'), config);
    const context = { deploymentName: config.name, regionId, topic: this.topic };
    addKeyAlarms(part('KeyAlarms'), context);
    const ofVersions = addServiceAlarms(part('ServiceAlarms'), context, config, accessLog);
    if (vault !== undefined) addBackupAlarms(part('BackupAlarms'), context, vault);
    if (certificate !== undefined) {
      addAlarm(this, context, certificateAlarm(certificate, 'service'));
    }
    // Clients that the newest version of the token function refuses.
    const refusals = config.gradualDeployment
      ? [addVersionAlarm(part('VersionAlarm'), context, functions.token)]
      : [];
    this.ofNewVersions = [...ofVersions, ...refusals];
    if (functions.notices !== undefined) {
      addAlarm(this, context, noticesAlarm(new ServiceMetrics({ name: config.name })));
    }
  }
}
