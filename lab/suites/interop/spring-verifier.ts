import { buildSpringBoot, type SpringBoot, startSpringBoot } from '../../support/spring-boot.ts';
import type { Library } from './library.ts';
import type { RunningVerifier } from './running-program.ts';

/** Asks the example's `GET /messages`. */
function askService(url: string): RunningVerifier['ask'] {
  return async ({ token }) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const challenge = response.headers.get('www-authenticate') ?? '';
    await response.body?.cancel();
    const { status, ok } = response;
    return { ok, status, why: `${status} ${challenge}` };
  };
}

/** The Spring Boot example as a verifier. It takes the algorithms from the JWKS. */
export function prepareSpring(boot: SpringBoot, ...args: readonly string[]): Library['prepare'] {
  return async (trust) => {
    const built = await buildSpringBoot(boot, trust, ...args);
    if ('missing' in built) return built;
    return {
      open: async (_alg, variables) => {
        const { url, close } = await startSpringBoot(built.command, variables);
        return { ask: askService(url), close };
      },
    };
  };
}
