import type { Management, OperationName } from '../../../adapters/management.ts';

/** Calls an operation by its name, with arguments of any type. */
export async function runOperation(
  management: Management,
  name: OperationName,
  args: readonly unknown[],
): Promise<unknown> {
  const operation = management[name] as (...args: readonly unknown[]) => Promise<unknown>;
  return operation(...args);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
