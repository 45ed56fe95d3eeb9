import * as v from 'valibot';
import { maxDomainNameLength } from './bounds.ts';
import { suggestName } from './nearest-names.ts';

/** Values of more than one part of the deployment config. */

interface ObjectHints {
  /** In place of the keys, for a value that is no object. */
  readonly example?: object;
  /** Why a key must not be here, if there is more to say than what resembles it. */
  readonly notHere?: (key: string) => string | undefined;
}

/** An object of the config. A key that it does not have gets the nearest one, or all. */
export function configObject<const Entries extends v.ObjectEntries>(
  entries: Entries,
  { example, notHere }: ObjectHints = {},
) {
  const keys = Object.keys(entries).join(', ');
  const form = example === undefined ? ` with ${keys}` : `, e.g. ${JSON.stringify(example)}`;
  return v.strictObject(entries, ({ expected, path }) => {
    if (expected !== 'never') return `expected an object${form}`;
    const key = String(path?.at(-1)?.key);
    const nearest = suggestName(key, Object.keys(entries)) || `; allowed: ${keys}`;
    return notHere?.(key) ?? `unknown key${nearest}`;
  });
}

export const matching = (pattern: RegExp, allowed: string) =>
  v.pipe(v.string(), v.regex(pattern, allowed));

export const count = v.pipe(
  v.number(),
  v.integer('allowed: a whole number'),
  v.minValue(1, 'allowed: 1 or more'),
);

export const secondsBetween = (least: number, most: number, hint = '') =>
  v.pipe(
    v.number(),
    v.integer('allowed: whole seconds'),
    v.minValue(least, `allowed: ${least} ${least === 1 ? 'second' : 'seconds'} or more`),
    v.maxValue(most, `allowed: at most ${most} seconds${hint}`),
  );

/** Concurrent executions that are kept for a function, which gets no more; `none` keeps none. */
export const reservation = v.pipe(
  v.union([v.number(), v.literal('none')]),
  v.check(
    (value) => value === 'none' || (Number.isInteger(value) && value >= 1),
    'allowed: a whole number of 1 or more, or "none"',
  ),
);

/** What is reserved; undefined for `none`. */
export function reservedExecutions(value: number | 'none' | undefined): number | undefined {
  return value === 'none' ? undefined : value;
}

export const distinct = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(
    v.array(item),
    v.minLength(1, 'allowed: one or more'),
    v.maxLength(most, `allowed: at most ${most}`),
    v.check((all) => new Set(all).size === all.length, 'allowed: each once'),
    v.readonly(),
  );

export const trunkGroup = matching(
  /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/,
  'allowed: a service trunk group',
);

const domainName = v.pipe(
  v.string(),
  v.maxLength(
    maxDomainNameLength,
    `allowed: at most ${maxDomainNameLength} characters, which is all that a certificate takes`,
  ),
  v.regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    'allowed: a lower-case DNS name without a trailing dot, e.g. "auth.example.com"',
  ),
);

const domainExample = {
  name: 'auth.example.com',
  hostedZoneId: 'Z0123456789ABC',
  hostedZoneName: 'example.com',
};

/** A host, and the zone of Route 53 that it is in. */
export const domainSchema = configObject(
  {
    /** The host. For the issuer, each region is served under `{region}.{name}` as well. */
    name: domainName,
    /** Route 53 public hosted zone that holds the name. */
    hostedZoneId: matching(
      /^Z[A-Z0-9]{5,31}$/,
      'allowed: a Route 53 hosted zone id, e.g. "Z0123456789ABC"',
    ),
    /** Name of the hosted zone, e.g. `example.com`. */
    hostedZoneName: domainName,
  },
  { example: domainExample },
);

export type DomainConfig = Readonly<v.InferOutput<typeof domainSchema>>;
