import { CallRecord } from './call-record.ts';
import {
  type ClientOptions,
  type DeployedAccount,
  readDeployedAccount,
} from './deployed-account.ts';
import { type PermissionGate, startPermissionGate } from './permission-gate.ts';

/** IAM for the functions and operators of an emulated account. Deployments may do everything. */
export interface Permissions {
  readonly gate: PermissionGate;
  readonly deployed: DeployedAccount;
  readonly record: CallRecord;
}

/** @param options of a client of the SDK that may do everything. */
export async function startPermissions(
  emulatorPort: number,
  options: ClientOptions,
): Promise<Permissions> {
  const deployed = readDeployedAccount(options);
  const record = new CallRecord();
  return { gate: await startPermissionGate({ emulatorPort, deployed, record }), deployed, record };
}
