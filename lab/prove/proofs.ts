import * as alarms from './alarm-checks.ts';
import * as drills from './drills.ts';
import * as figures from './figure-checks.ts';
import * as gateway from './gateway-checks.ts';
import table from './proofs.json' with { type: 'json' };
import type { Check } from './world.ts';

/** How each thing is asked, by its id. The command cannot ask the others. */
const checks: Readonly<Record<string, Check>> = {
  deploys: drills.deploys,
  routes: gateway.routesAnswer,
  'alarms-at-creation': alarms.alarmsAtCreation,
  schedules: gateway.schedulesRun,
  'declared-client': drills.declares,
  'token-times': figures.tokenTimes,
  'lambda-reports': figures.lambdaReports,
  'sign-rs256': figures.signsWith('RSA_2048', 'RSASSA_PKCS1_V1_5_SHA_256'),
  'sign-ps256': figures.signsWith('RSA_2048', 'RSASSA_PSS_SHA_256', { padding: 6, saltLength: 32 }),
  'sign-es256': figures.signsWith('ECC_NIST_P256', 'ECDSA_SHA_256'),
  'sign-ml-dsa-44': figures.signsWith('ML_DSA_44', 'ML_DSA_SHAKE_256'),
  quotas: figures.quotas,
  'index-lag': figures.indexLag,
  replication: figures.replication,
  tls: gateway.tls,
  'access-log': gateway.accessLog,
  throttle: gateway.throttle,
  'web-acl': gateway.webAcl,
  'jwt-authorizer': gateway.jwtAuthorizer,
  'alarm-flood': alarms.ringsFlood,
  'alarm-math': alarms.ringsMath,
  'alarm-disabled-key': alarms.ringsDisabledKey,
  'alarm-thrown-error': alarms.ringsThrownError,
  'alarm-arrives': alarms.alarmArrives,
  'lost-key-tag': drills.losesTag,
  rotation: drills.rotates,
  'gradual-shift': drills.shifts,
  restore: drills.restores,
  import: drills.imports,
};

/** One thing that only AWS can show. */
export interface Proof {
  readonly id: string;
  /** What is seen to be true when it has passed. */
  readonly shows: string;
  /** What there must be, in addition to an account with one region. */
  readonly needs?: string;
  /** Regions that it needs, if the command can ask it. */
  readonly regions?: number;
  /** Whether the emulator can be asked, too, which proves the check and not AWS. */
  readonly emulator?: boolean;
  /** Minutes that it takes in AWS. */
  readonly minutes?: number;
  readonly check?: Check | undefined;
}

/**
 * Everything that only AWS can show, in the order in which it is asked: what disturbs nothing first,
 * and what ends the deployment last. docs/deployment-test.md has this table.
 */
export const proofs: readonly Proof[] = table.map((one) => ({ ...one, check: checks[one.id] }));
