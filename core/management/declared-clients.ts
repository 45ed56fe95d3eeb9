import { type Client, describeDeclaration, isDeclared } from '../client/client.ts';
import { RefusedError } from '../errors.ts';
import type { ManagementContext } from './management-context.ts';
import { isSameOtherwise } from './trunk-group-limits/only-stops.ts';

const keysOf = ({ secrets }: Client) =>
  secrets
    .filter(({ publicKey }) => publicKey !== undefined)
    .map(({ secretId, expiresAt, name }) => [secretId, expiresAt, name]);

/** Whether two versions differ only in what people decide: whether it works, and its secrets. */
function isDeclaredAlike(before: Client, next: Client): boolean {
  const others = [
    'enabled',
    'tokensNotBefore',
    'secrets',
    'declared',
    'version',
    'updatedAt',
  ] as const;
  return (
    isSameOtherwise(before, next, others) &&
    JSON.stringify(keysOf(before)) === JSON.stringify(keysOf(next))
  );
}

/**
 * What a stack declares only the stack changes, or a person who takes the client over.
 *
 * @param next undefined if it is deleted.
 * @throws {RefusedError} with the place to change it.
 */
export function checkDeclared(
  { stack }: Pick<ManagementContext, 'stack'>,
  before: Client,
  next?: Client,
): void {
  const { declared, clientId } = before;
  if (stack !== undefined || declared === undefined || !isDeclared(before)) return;
  if (next !== undefined && (next.declared === undefined || isDeclaredAlike(before, next))) return;
  throw new RefusedError(
    `${clientId} is declared by ${describeDeclaration(declared)}: change it there, or take it over (take_over). It can be disabled, and its tokens revoked, here`,
  );
}
