import type { Settings } from '../../../contract/function-settings.ts';
import { tableName } from '../../../contract/tables.ts';
import { policy } from '../../../lab/suites/rotation/simulation/policies.ts';
import type { AwsClients } from '../../../lab/support/aws-clients.ts';
import {
  createKeyRotationHandler,
  type FunctionPorts,
} from '../../../lambda/key-rotation/function.ts';
import type { RunReport } from '../../../lambda/shared/run-telemetry.ts';
import { authenticateOperator } from '../../support/caller-proof.ts';
import { keyPolicy } from '../../support/key-policy.ts';
import { createPublisher } from '../../support/publisher.ts';

interface RotationWorld {
  readonly aws: AwsClients;
  readonly deployment: string;
  readonly report: (run: RunReport) => void;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** The rotation of a region as it is deployed, but for the other functions. */
export function openRotation(
  { aws, deployment, report, now }: RotationWorld,
  functions: Partial<FunctionPorts> = {},
  more: Partial<Settings<'key-rotation'>> = {},
) {
  const table = tableName(deployment, 'signingKeys');
  const settings: Settings<'key-rotation'> = {
    issuer: 'https://auth.example.com',
    regionId: 'slc',
    signingKeysTable: table,
    algs: ['ES256', 'RS256', 'ML-DSA-65'],
    policy,
    deploymentName: deployment,
    keyPolicy,
    keyTags: { 'cost-centre': 'platform' },
    tokenFunction: 'token',
    canaryFunction: 'canary',
    auditTable: tableName(deployment, 'audit'),
    ...more,
  };
  const { regionId } = settings;
  const { leeway } = policy;
  const publisher = { aws, table, regionId, deploymentName: deployment, keyPolicy, leeway, now };
  return createKeyRotationHandler(settings, aws, {
    sendAnswer: async () => {},
    authenticateCaller: authenticateOperator,
    selfTest: async () => ({ ok: true }),
    checkKey: async () => [],
    publishKey: createPublisher(publisher),
    now,
    sleep: async () => {},
    telemetry: { report },
    ...functions,
  });
}
