import { isAwsDenial } from '../contract/aws-denials.ts';

/**
 * The parts of AWS's message that name the permission: `User: … is not authorized to perform:
 * kms:CreateKey on resource: * because no identity-based policy allows the kms:CreateKey action`.
 * No other part of the message is repeated.
 */
const message =
  /not authorized to perform: (?<action>[\w-]+:\w+)(?: on resource: (?<resource>[\w:/*.+=@$-]+))?(?: because (?<missing>no [a-z -]+) allows| with an (?<denied>explicit deny in an? [a-z -]+))?/;

/** Causes are nested less deeply than this. */
const maxDepth = 5;

/**
 * Names the permission that is missing, if AWS refused a call for lack of one.
 *
 * @returns undefined for any other error.
 */
export function describeDenial(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > maxDepth) return undefined;
  if (!isAwsDenial(error)) return describeDenial(error.cause, depth + 1);
  const { action, resource, missing, denied } = message.exec(error.message)?.groups ?? {};
  if (action === undefined) return `${error.name}, without the name of a permission`;
  const where = resource === undefined ? '' : ` on ${resource}`;
  const reasons = [missing && `${missing} allows it`, denied?.trim()].filter(Boolean);
  return [`IAM does not allow ${action}${where}`, ...reasons].join(': ');
}
