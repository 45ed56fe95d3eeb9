import * as v from 'valibot';
import { asStored, list } from './fields.ts';
import { grantLimits } from './inputs.ts';

/** What the operations about limits of trunk groups return. */

const text = v.string();
const optionalText = v.optional(text);
const optionalTime = v.optional(v.number());

export const trunkGroupLimits = v.object({
  serviceTrunkGroup: text,
  ...asStored(grantLimits),
  /** 0: nothing is stored for the trunk group. */
  version: v.number(),
  updatedAt: optionalTime,
});

export const trunkGroupLimitsPage = v.object({
  items: list(trunkGroupLimits),
  examined: v.number(),
  nextCursor: optionalText,
});

export const limitsCheck = v.object({
  /** What the trunk group has above its limits. */
  excesses: list(
    v.object({
      /** The limit, by its name. */
      limit: text,
      /** Id of the client, the secret or the API key; the trunk group for a count. */
      subject: text,
      name: optionalText,
      received: text,
      allowed: text,
    }),
  ),
  /** Whether there are more than are listed. */
  more: v.boolean(),
});
