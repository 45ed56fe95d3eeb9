import dns from 'node:dns';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAwsJsonClients } from '../../../adapters/aws-json-clients.ts';
import { requestDeadline } from '../../../contract/bounds.ts';
import { functionSettings } from '../../../contract/function-settings.ts';
import { healthPath } from '../../../contract/routes.ts';
import { loopbackHost } from '../../../lab/emulator/loopback-server.ts';
import { describeEnvironments } from '../../../lab/local/environment-source.ts';
import { buildLocalDeployment } from '../../../lab/local/local-deployment.ts';
import { lambdaContext, proxyEvent } from '../../../lab/support/proxy-event.ts';
import { createTokenHandler } from '../../../lambda/token/function.ts';
import { figure } from '../../support/figure.ts';
import { recordTelemetry } from '../../support/recorded-telemetry.ts';
import { tokenRequest } from '../../support/token-world.ts';
import { credentialsOf, useLocalService } from '../lab/local/use-local-service.ts';
import { unavailableAnswer } from './load.ts';

const service = useLocalService();

describe('a region in which no name server knows DynamoDB', () => {
  /** The token function by itself, with connections of its own: none is open yet. */
  function createRegion() {
    const { issuer, environment } = service();
    const { config } = buildLocalDeployment(issuer, {});
    const aws = createAwsJsonClients({
      ...environment,
      AWS_ENDPOINT_URL_DYNAMODB: environment.AWS_ENDPOINT_URL_DYNAMODB?.replace(
        loopbackHost,
        'localhost',
      ),
    });
    const source = describeEnvironments(config, issuer, 'slc');
    const token = createTokenHandler(functionSettings.token(source), aws, {
      telemetry: recordTelemetry().telemetry,
    });
    onTestFinished(() => {
      for (const client of [aws.dynamodb, aws.kms]) client.close();
    });
    const Authorization = credentialsOf(service());
    return {
      issue: () => token(proxyEvent(tokenRequest({ headers: { Authorization } })), lambdaContext()),
      health: () => token(proxyEvent({ path: healthPath }), lambdaContext()),
    };
  }

  it('answers 503 on its token path and health check, and comes back with the name', async () => {
    const region = createRegion();
    const unknown = vi.spyOn(dns, 'lookup').mockImplementation(((
      name: string,
      _options: unknown,
      done: (error: Error) => void,
    ) => {
      const error = new Error(`getaddrinfo ENOTFOUND ${name}`);
      setImmediate(() => done(Object.assign(error, { code: 'ENOTFOUND', syscall: 'getaddrinfo' })));
    }) as never);
    onTestFinished(() => unknown.mockRestore());
    const start = performance.now();
    const answers = [await region.issue(), await region.health()];
    const longest = performance.now() - start;
    expect(unknown).toHaveBeenCalled();
    unknown.mockRestore();
    const after = await region.issue();
    figure('DynamoDB has no address', {
      'token status': answers[0]?.statusCode ?? 0,
      'health status': answers[1]?.statusCode ?? 0,
      'ms for both': longest.toFixed(0),
      'with an address again': after.statusCode,
    });
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([503, 503]);
    expect(JSON.parse(answers[0]?.body ?? '')).toEqual(unavailableAnswer.body);
    expect(longest).toBeLessThan(requestDeadline);
    expect(after.statusCode).toBe(200);
  });
});
