import type { ApiKey } from '../../api-key/api-key.ts';
import { formatCidr, meetsRequirement } from '../../api-key/subnet.ts';
import type { Client } from '../../client/client.ts';
import { onlyNarrows } from '../../narrowing/narrow.ts';
import { apiKeyTable, clientTable } from '../../narrowing/tables.ts';

/** Whether a change to the next version only takes something away, which no limit can refuse. */
export function onlyStopsClient(before: Client, after: Client): boolean {
  return onlyNarrows(clientTable, before, after);
}

/** The same of an API key. A new subnet is small enough for a limit that requires subnets. */
export function onlyStopsApiKey(before: ApiKey, after: ApiKey): boolean {
  const known = before.subnets.map(formatCidr);
  return (
    onlyNarrows(apiKeyTable, before, after) &&
    after.subnets.every((one) => known.includes(formatCidr(one)) || meetsRequirement(one))
  );
}
