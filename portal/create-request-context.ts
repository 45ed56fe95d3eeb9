import { randomUUID } from 'node:crypto';
import { maxTrunkGroupLimit } from '../contract/limits.ts';
import { rememberOffer } from './access/granted.ts';
import { ForbiddenError, guardManagement, mayUse } from './access/guarded-management.ts';
import type { Person } from './access/person.ts';
import { Fields } from './forms/fields.ts';
import { TooManyTrunkGroupsError } from './http-error.ts';
import type { PortalOptions } from './portal-options.ts';
import type { ProviderHealth } from './provider-health.ts';
import type { RequestContext } from './request-context.ts';
import { createHref } from './respond.ts';
import { cookieScope, hasRecentChange } from './session/cookies.ts';

/** Common properties of every request of a known user. The route adds the rest. */
export async function createRequestContext(
  options: PortalOptions,
  request: Request,
  person: Person,
  health: ProviderHealth,
): Promise<RequestContext> {
  const { management, origins, basePath = '', clock = Date.now, look = {} } = options;
  const count = person.trunkGroups?.length ?? 0;
  if (count > maxTrunkGroupLimit) throw new TooManyTrunkGroupsError(count);
  const guarded = guardManagement(management, person);
  const deployment = await guarded.describeDeployment();
  // The config can limit a person further than the login does.
  const { trunkGroups = person.trunkGroups } = deployment.reach ?? {};
  const reaching: Person = { ...person, trunkGroups };
  const isChanged = hasRecentChange(request, cookieScope(origins[0], basePath));
  return {
    person: reaching,
    management: guarded,
    deployment,
    api: look,
    id: () => '',
    query: new Fields(new URL(request.url).searchParams),
    form: new Fields(),
    health,
    callerAddress: options.callerAddressOf?.(request),
    now: Math.floor(clock() / 1000),
    href: createHref(basePath),
    // Only lists of trunk groups have the choice.
    freshness: trunkGroups === undefined || isChanged ? {} : { withRecent: false },
    ...rememberOffer({ management: guarded, person: reaching, deployment }),
    may: (operation) => mayUse(reaching, operation),
    require: (operation) => {
      if (!mayUse(reaching, operation)) throw new ForbiddenError(operation, reaching);
    },
    newRequestId: randomUUID,
  };
}
