import { OAuthError } from '../../core/oauth-error.ts';

function reasonOf(error: unknown): string {
  if (error instanceof OAuthError) return error.reason;
  throw error;
}

/** The reason for which a call was refused; undefined if it was not. */
export function refusal(call: () => unknown): string | undefined {
  try {
    call();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}

export async function asyncRefusal(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}
