import * as v from 'valibot';
import { maxDomainNameLength } from './limits.ts';

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

/** A host, and the zone of Route 53 that it is in. */
export const domainSchema = v.strictObject({
  /** The host. For the issuer, each region is served under `{region}.{name}` as well. */
  name: domainName,
  /** Route 53 public hosted zone that holds the name. */
  hostedZoneId: v.pipe(
    v.string(),
    v.regex(/^Z[A-Z0-9]{5,31}$/, 'allowed: a Route 53 hosted zone id, e.g. "Z0123456789ABC"'),
  ),
  /** Name of the hosted zone, e.g. `example.com`. */
  hostedZoneName: domainName,
});

export type DomainConfig = Readonly<v.InferOutput<typeof domainSchema>>;
