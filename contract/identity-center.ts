/**
 * The name of a role that IAM Identity Center makes of a permission set. AWS chooses another suffix
 * when the assignments are made again, so a suffix identifies no one:
 * https://docs.aws.amazon.com/singlesignon/latest/userguide/referencingpermissionsets.html
 */
const reservedName = /^(AWSReservedSSO_[\w+=,.@-]{1,32}_)(?:[0-9a-f]{16}|\*)$/;

const reservedArn =
  /^arn:aws[a-z-]*:iam::\d{12}:role\/aws-reserved\/sso\.amazonaws\.com\/(?:[a-z0-9-]+\/)?(AWSReservedSSO_[^/]+)$/;

/** Whether a role can only be one of Identity Center. */
export function isReservedRole(arn: string): boolean {
  return arn.includes(':role/aws-reserved/') || arn.includes('/AWSReservedSSO_');
}

/** Whether the ARN of a role can exist: one of Identity Center has its path, and such a name. */
export function canBeRole(arn: string): boolean {
  if (!isReservedRole(arn)) return !arn.includes('*');
  return reservedName.test(reservedArn.exec(arn)?.[1] ?? '');
}

/** The name of a role without what AWS changes; any other name as it is. */
export function lastingName(name: string): string {
  return name.replace(reservedName, '$1*');
}

/**
 * The ARN of a role for `ArnLike`. A suffix has 16 characters: with `*`, the name of another
 * permission set could begin with this one.
 */
export function lastingArn(arn: string): string {
  const name = arn.slice(arn.lastIndexOf('/') + 1);
  return arn.slice(0, -name.length) + name.replace(reservedName, `$1${'?'.repeat(16)}`);
}

export const reservedRoleHelp =
  'a role of Identity Center as "arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/REGION/AWSReservedSSO_NAME_*", without REGION if it is in us-east-1';
