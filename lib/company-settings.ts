import { Aspects, type IAspect, type Stack } from 'aws-cdk-lib';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import type { DeploymentConfig } from '../contract/deployment-config.ts';
import type { RegionId } from '../contract/regions.ts';

/** How long a company keeps logs, and the key that encrypts what a stack stores outside of tables. */
class StoredData implements IAspect {
  readonly #retentionDays: number;
  readonly #key: string | undefined;

  constructor(retentionDays: number, key: string | undefined) {
    this.#retentionDays = retentionDays;
    this.#key = key;
  }

  visit(node: IConstruct): void {
    if (node instanceof CfnLogGroup) node.retentionInDays = this.#retentionDays;
    if (this.#key === undefined) return;
    if (node instanceof CfnLogGroup || node instanceof CfnSecret) node.kmsKeyId = this.#key;
    if (node instanceof CfnTopic) node.kmsMasterKeyId = this.#key;
  }
}

/** Applies the config's `logRetentionDays` and `encryptionKeyArn` to everything of one stack. */
export function applyCompanySettings(
  stack: Stack,
  { logRetentionDays, regions }: DeploymentConfig,
  regionId: RegionId,
): void {
  Aspects.of(stack).add(new StoredData(logRetentionDays, regions[regionId]?.encryptionKeyArn));
}
