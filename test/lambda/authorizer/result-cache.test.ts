import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { cacheIdentitySources } from '../../../contract/platform-authorizer.ts';
import { hashSecret } from '../../../core/credential/credential-value.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import {
  apiKeyValue,
  createApiKey,
  now,
  ownClaims,
  ownKey,
} from '../../../lab/support/verifier-world.ts';
import {
  type AuthorizerWorld,
  authorizerEvent,
  authorizerWorld,
  type EventOptions,
} from './authorizer-world.ts';

const ttl = 300;

/** How API Gateway finds the value of an identity source in a request. */
const identitySources: Readonly<
  Record<
    (typeof cacheIdentitySources)[number],
    (event: APIGatewayRequestAuthorizerEvent) => unknown
  >
> = {
  'method.request.header.Authorization': (event) => event.multiValueHeaders?.['Authorization'],
  'context.identity.sourceIp': (event) => event.requestContext.identity.sourceIp,
  'context.httpMethod': (event) => event.httpMethod,
  'context.path': (event) => event.path,
};

/** Whether a policy allows a method at a time, in seconds, as IAM evaluates it. */
function allows(result: APIGatewayAuthorizerResult, methodArn: string, time: number): boolean {
  const [statement] = result.policyDocument.Statement;
  if (statement?.Effect !== 'Allow' || !('Resource' in statement)) return false;
  const condition = statement.Condition as { DateLessThan?: Record<string, string> } | undefined;
  const end = condition?.DateLessThan?.['aws:CurrentTime'];
  return statement.Resource === methodArn && (end === undefined || time * 1000 < Date.parse(end));
}

/** API Gateway with a result cache: it asks the function only if it holds no decision. */
function createGateway({ world, authorizer }: AuthorizerWorld) {
  const cache = new Map<string, { result: APIGatewayAuthorizerResult; until: number }>();
  let asked = 0;
  return {
    asked: () => asked,
    async status(options: EventOptions): Promise<number> {
      const event = authorizerEvent(options);
      const key = JSON.stringify(cacheIdentitySources.map((name) => identitySources[name](event)));
      const kept = cache.get(key);
      if (kept !== undefined && world.now < kept.until) {
        return allows(kept.result, event.methodArn, world.now) ? 200 : 403;
      }
      asked += 1;
      try {
        const result = await authorizer(event);
        cache.set(key, { result, until: world.now + ttl });
        return allows(result, event.methodArn, world.now) ? 200 : 403;
      } catch (error) {
        return (error as Error).message === 'Unauthorized' ? 401 : 500;
      }
    },
  };
}

describe('a result cache of API Gateway', () => {
  it('asks once for the same request', async () => {
    const gateway = createGateway(authorizerWorld({ cacheTtl: ttl }));
    const options = { authorization: `Bearer ${signToken(ownKey, ownClaims)}` };
    expect([await gateway.status(options), await gateway.status(options)]).toEqual([200, 200]);
    expect(gateway.asked()).toBe(1);
  });

  it('keeps one route from deciding for another, in both directions', async () => {
    const gateway = createGateway(authorizerWorld({ cacheTtl: ttl }));
    const both = `Bearer ${signToken(ownKey, ownClaims)}`;
    const view = `Bearer ${signToken(ownKey, { ...ownClaims, scope: 'messaging:view' })}`;
    for (const [authorization, post] of [
      [both, 200],
      [view, 403],
    ] as const) {
      expect(await gateway.status({ authorization })).toBe(200);
      expect(await gateway.status({ authorization, httpMethod: 'POST' })).toBe(post);
      expect(await gateway.status({ authorization })).toBe(200);
    }
    expect(gateway.asked()).toBe(4);
  });

  it('keeps one source address from deciding for another', async () => {
    const state = authorizerWorld({ cacheTtl: ttl });
    const subnets = [{ subnetId: 's', name: 'n', address: '10.0.0.0', prefixLength: 8 }];
    state.world.apiKeys.set(createApiKey().keyId, createApiKey({ subnets }));
    const gateway = createGateway(state);
    const authorization = `Bearer ${apiKeyValue}`;
    expect(await gateway.status({ authorization, sourceIp: '10.1.1.1' })).toBe(200);
    expect(await gateway.status({ authorization, sourceIp: '192.0.2.1' })).toBe(401);
  });

  it('keeps tokens apart that begin or end alike', async () => {
    const gateway = createGateway(authorizerWorld({ cacheTtl: ttl }));
    const token = signToken(ownKey, ownClaims);
    const first = token.slice(0, 100);
    expect(await gateway.status({ authorization: `Bearer ${token}` })).toBe(200);
    expect(await gateway.status({ authorization: `Bearer ${first}` })).toBe(401);
    expect(await gateway.status({ authorization: `Bearer ${token}A` })).toBe(401);
    const other = signToken(ownKey, { ...ownClaims, aud: 'https://other.example' });
    expect(await gateway.status({ authorization: `Bearer ${other}` })).toBe(401);
  });

  it('never outlives the token', async () => {
    const state = authorizerWorld({ cacheTtl: ttl });
    const gateway = createGateway(state);
    const options = {
      authorization: `Bearer ${signToken(ownKey, { ...ownClaims, exp: now + 5 })}`,
    };
    expect(await gateway.status(options)).toBe(200);
    state.world.now = now + 4;
    expect(await gateway.status(options)).toBe(200);
    state.world.now = now + 5;
    expect(await gateway.status(options)).toBe(403);
    expect(gateway.asked()).toBe(1);
  });

  /** The key after a rotation: the value that is sent is an old one. */
  function past(oldEnd: number, expiresAt: number | undefined) {
    const { hash } = createApiKey();
    const oldValues = [{ valueId: 'value_1', hash, expiresAt: oldEnd }];
    return createApiKey({ hash: hashSecret('another'), oldValues, expiresAt });
  }

  it.each([
    ['the key', createApiKey({ expiresAt: now + 5 })],
    ['an old value', past(now + 5, undefined)],
    ['a key whose old value ends later', past(now + 9, now + 5)],
  ])('never outlives %s', async (_, key) => {
    const state = authorizerWorld({ cacheTtl: ttl });
    state.world.apiKeys.set(key.keyId, key);
    const gateway = createGateway(state);
    const options = { authorization: `Bearer ${apiKeyValue}` };
    expect(await gateway.status(options)).toBe(200);
    state.world.now = now + 4;
    expect(await gateway.status(options)).toBe(200);
    state.world.now = now + 5;
    expect(await gateway.status(options)).toBe(403);
    expect(gateway.asked()).toBe(1);
  });

  it('holds a revoked API key for its own time and no longer', async () => {
    const state = authorizerWorld({ cacheTtl: ttl });
    const gateway = createGateway(state);
    const options = { authorization: `Bearer ${apiKeyValue}` };
    expect(await gateway.status(options)).toBe(200);
    state.world.apiKeys.delete(createApiKey().keyId);
    state.world.now = now + ttl - 1;
    expect(await gateway.status(options)).toBe(200);
    state.world.now = now + ttl;
    expect(await gateway.status(options)).toBe(401);
  });

  it('is off by default, and then the policy has no end', async () => {
    const { authorizer } = authorizerWorld();
    const event = authorizerEvent({ authorization: `Bearer ${signToken(ownKey, ownClaims)}` });
    const { policyDocument } = await authorizer(event);
    expect(policyDocument.Statement[0]).not.toHaveProperty('Condition');
  });
});
