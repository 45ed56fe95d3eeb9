import { operatorExecutions, portalExecutions } from './bounds.ts';
import { reservedExecutions } from './config-values.ts';
import type { DeploymentConfig } from './deployment-config.ts';
import type { FunctionName } from './function-names.ts';
import type { RegionId } from './regions.ts';

/** What a function of a region keeps for itself. */
export interface Reservation {
  readonly name: FunctionName;
  /** The key of the config. */
  readonly key: string;
  readonly executions: number;
}

/** The reservations of a region, those of the portal's stack among them. */
export function reservationsOf(
  {
    reservedConcurrency,
    portal,
    management: { stackReach },
  }: Pick<DeploymentConfig, 'reservedConcurrency' | 'portal' | 'management'>,
  regionId: RegionId,
): readonly Reservation[] {
  const here = portal?.region === regionId ? portal : undefined;
  // Pages of people and stacks of other accounts must not take the executions of token requests.
  const isShared = here !== undefined || stackReach !== undefined;
  const { management = isShared ? portalExecutions + operatorExecutions : undefined, ...others } =
    reservedConcurrency;
  const all = { ...others, management, portal: here?.reservedConcurrency };
  return Object.entries(all).flatMap(([name, value]) => {
    const executions = reservedExecutions(value);
    const key = name === 'portal' ? 'portal.reservedConcurrency' : `reservedConcurrency.${name}`;
    return executions === undefined ? [] : [{ name: name as FunctionName, key, executions }];
  });
}

/** What one function of a region reserves; undefined if nothing. */
export function reservedFor(
  config: Parameters<typeof reservationsOf>[0],
  regionId: RegionId,
  name: FunctionName,
): number | undefined {
  return reservationsOf(config, regionId).find((one) => one.name === name)?.executions;
}
