import { wireNameOf } from '../../../contract/management/inputs.ts';
import { formatTime } from '../../rfc3339.ts';
import { limitNames, type TrunkGroupLimits } from '../../trunk-group/trunk-group-limits.ts';

/** The limits of a trunk group as they are shown. */
export function viewTrunkGroupLimits(limits: TrunkGroupLimits): Record<string, unknown> {
  return {
    service_trunk_group: limits.serviceTrunkGroup,
    ...Object.fromEntries(limitNames.map((name) => [wireNameOf(name), limits[name]])),
    updated_at: limits.updatedAt === undefined ? undefined : formatTime(limits.updatedAt),
    version: limits.version,
  };
}
