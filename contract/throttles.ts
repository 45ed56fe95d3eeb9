import type { Throttle, Throttles } from './routes.ts';

/**
 * Share of the Sign quota that the token path may take: refusing at the gateway costs nothing,
 * and the rest is for rotation, health checks and other deployments of the account.
 */
const signQuotaShare = 0.8;

/** Documents are cached by their readers and cost neither a Sign nor, when warm, a read. */
const documentThrottle: Throttle = { rateLimit: 2000, burstLimit: 1000 };

/**
 * Route 53 asks about every other second per region, from several checkers. The rest is for other
 * callers: a flood must be a hundred times as large before Route 53 gets no response. A response
 * costs no Sign call of its own: the result of one self-test is used for ten seconds.
 */
const healthThrottle: Throttle = { rateLimit: 200, burstLimit: 200 };

/**
 * A burst of half a second's requests. It is better to refuse a request than to let it wait longer.
 */
function withBurst(rateLimit: number): Throttle {
  return { rateLimit, burstLimit: Math.max(1, Math.floor(rateLimit / 2)) };
}

/** The throttles of a deployment: those of its config, or defaults that fit its quota. */
export function throttlesOf(config: {
  readonly kmsSignQuota: number;
  readonly throttles: Partial<Pick<Throttles, 'token' | 'documents'>>;
}): Throttles {
  const { token, documents = documentThrottle } = config.throttles;
  const ofQuota = Math.max(1, Math.floor(config.kmsSignQuota * signQuotaShare));
  return { token: token ?? withBurst(ofQuota), documents, health: healthThrottle };
}
