import { reservedExecutions } from './config-values.ts';
import type { DeploymentConfig } from './deployment-config.ts';
import type { FunctionName } from './environment.ts';
import type { RegionId } from './regions.ts';

/**
 * Synchronous requests a second that Lambda lets one execution serve, however short they are ("Lambda
 * quotas" of its developer guide). So concurrency limits the rate also of functions that take
 * milliseconds.
 */
export const requestsOfExecution = 10;

/**
 * Bytes of the resource policy of a function's alias:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, November 2026.
 */
export const maxAliasPolicyBytes = 20_480;

/**
 * Executions that Lambda keeps for functions without a reservation; all of them, if an account has
 * fewer: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html, November 2026.
 */
export const leastUnreserved = 100;

/** Executions for the pages of a portal with 50, most of which wait for nothing else. */
const executionsForPortal = 20;

/** What a function of a region keeps for itself. */
export interface Reservation {
  readonly name: FunctionName;
  /** The key of the config. */
  readonly key: string;
  readonly executions: number;
}

/** The reservations of a region, those of the portal's stack among them. */
export function reservationsOf(
  { reservedConcurrency, portal }: Pick<DeploymentConfig, 'reservedConcurrency' | 'portal'>,
  regionId: RegionId,
): readonly Reservation[] {
  const here = portal?.region === regionId ? portal : undefined;
  const { management = here && executionsForPortal, ...others } = reservedConcurrency;
  const all = { ...others, management, portal: here?.reservedConcurrency };
  return Object.entries(all).flatMap(([name, value]) => {
    const executions = reservedExecutions(value);
    const key = name === 'portal' ? 'portal.reservedConcurrency' : `reservedConcurrency.${name}`;
    return executions === undefined ? [] : [{ name: name as FunctionName, key, executions }];
  });
}
