import type { ManagementAlias } from '../../../contract/management/roles.ts';
import type { PortalReach, Reach } from '../../../contract/reach.ts';
import type { Limits } from '../../../core/trunk-group/trunk-group-limits.ts';
import { createManagementHandler } from '../../../lambda/management/function.ts';
import { createWorld } from '../../adapters/management/world.ts';
import { proofOf } from '../../support/caller-proof.ts';
import { managementArn } from '../../support/management-function.ts';

export const account = '000000000000';

export function session(name: string, of = account): string {
  return `arn:aws:sts::${of}:assumed-role/${name}/ada`;
}

export function role(name: string, of = account): string {
  return `arn:aws:iam::${of}:role/${name}`;
}

export const newClient = {
  name: 'Dialer',
  serviceTrunkGroup: 'tg-1001',
  scopes: ['calls:view'],
  idempotencyKey: 'key-12345',
};

interface ConfiguredReach {
  readonly reach?: readonly Reach[];
  readonly default?: 'everything' | 'nothing';
  readonly portalReach?: PortalReach | undefined;
}

/** The function and the world before it. @param config of the deployment. */
export async function askedWorld(config: ConfiguredReach = {}, groupOfItems = 'tg-1001') {
  const world = await createWorld(groupOfItems);
  const { reach = [], portalReach } = config;
  const management = { reach: [...reach], default: config.default, portalReach };
  const handler = createManagementHandler({
    createContext: () => ({ ...world.context, config: { ...world.context.config, management } }),
    authenticateCaller: async () => session('limited'),
    clock: world.context.clock,
    telemetry: { report: () => undefined },
  });
  const send = async (request: object, alias: ManagementAlias) => {
    const event = { request: JSON.stringify(request), caller_proof: proofOf(world.now) };
    return handler(event, { invokedFunctionArn: `${managementArn}:${alias}` });
  };
  const ask = async (
    operation: string,
    input: object,
    alias: ManagementAlias = 'administrator',
    more: object = {},
  ) => {
    const { outcome } = await send({ operation, input, ...more }, alias);
    return 'error' in outcome ? { error: outcome.error } : { result: outcome.result };
  };
  return { world, ask, send };
}

/** The same for a caller whom the config limits to a trunk group, with limits of the group. */
export async function restrictedWorld(limits: Limits, groupOfItems = 'tg-1001') {
  const serviceTrunkGroup = 'tg-1001';
  const entry = { principals: [role('limited')], trunkGroups: [serviceTrunkGroup] };
  const asked = await askedWorld({ reach: [entry] }, groupOfItems);
  if (Object.keys(limits).length > 0) {
    asked.world.limits.set(serviceTrunkGroup, { ...limits, serviceTrunkGroup, version: 1 });
  }
  return asked;
}
