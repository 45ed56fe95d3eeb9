import { Lazy } from 'aws-cdk-lib';
import type { CfnMethod, IAuthorizer, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AuthorizationType } from 'aws-cdk-lib/aws-apigateway';
import { routeKey } from '../../contract/platform-authorizer.ts';
import { isScopeToken } from '../../contract/scopes.ts';

/** Scopes that cannot be required. */
export class RequiredScopeError extends Error {
  override readonly name = 'RequiredScopeError';
}

/**
 * Maximum size of the table of required scopes in the function's environment, in bytes. Lambda
 * allows 4,096 for all variables; the others of the authorizer need less than 1,200.
 */
export const maxRequiredScopesBytes = 2800;

/**
 * The scopes that each method of an API requires. Each method gets its own token for the one
 * authorizer, and its resource keeps the token. The token identifies the method's scopes.
 */
export class RouteScopes {
  readonly #authorizerId: string;
  readonly #scopesByToken = new Map<string, readonly string[]>();

  /** @param authorizerId the id of the authorizer. */
  constructor(authorizerId: string) {
    this.#authorizerId = authorizerId;
  }

  /** @throws {RequiredScopeError} if a text is not a scope (RFC 6749 §3.3). */
  authorizerFor(scopes: readonly string[]): IAuthorizer {
    const wrong = scopes.find((scope) => !isScopeToken(scope));
    if (wrong !== undefined) {
      throw new RequiredScopeError(
        `required scope: received ${JSON.stringify(wrong)}; allowed: one scope, e.g. "messaging:view"`,
      );
    }
    const authorizerId = Lazy.string({ produce: () => this.#authorizerId });
    this.#scopesByToken.set(authorizerId, scopes);
    return { authorizerId, authorizationType: AuthorizationType.CUSTOM };
  }

  /**
   * The table that the authorizer reads: `GET /messages` → `messaging:view`.
   *
   * @throws {RequiredScopeError} if it does not fit the function's environment.
   */
  scopesOf(restApi: RestApi): Readonly<Record<string, string>> {
    const entries = restApi.methods.flatMap((method) => {
      const { authorizerId } = method.node.defaultChild as CfnMethod;
      const scopes = this.#scopesByToken.get(String(authorizerId));
      const key = routeKey(method.httpMethod, method.resource.path);
      return scopes === undefined ? [] : [[key, scopes.join(' ')] as const];
    });
    const scopes = Object.fromEntries(entries);
    const bytes = Buffer.byteLength(JSON.stringify(scopes));
    if (bytes > maxRequiredScopesBytes) {
      throw new RequiredScopeError(
        `the scopes of ${entries.length} methods take ${bytes} bytes; allowed: ${maxRequiredScopesBytes}. Use ANY or {proxy+} methods, or a second PlatformAuthorizer`,
      );
    }
    return scopes;
  }
}
