import { OAuthError, type OAuthErrorReason } from '../../core/oauth-error.ts';

function reasonOf(error: unknown): OAuthErrorReason {
  if (error instanceof OAuthError) return error.reason;
  throw error;
}

/** The reason for which a call was refused; undefined if it was not. */
export function refusal(call: () => unknown): OAuthErrorReason | undefined {
  try {
    call();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}

export async function asyncRefusal(
  call: () => Promise<unknown>,
): Promise<OAuthErrorReason | undefined> {
  try {
    await call();
  } catch (error) {
    return reasonOf(error);
  }
  return undefined;
}
