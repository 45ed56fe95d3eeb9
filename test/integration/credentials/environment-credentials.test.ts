import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { functionCredentials } from '../../../adapters/credentials/environment-credentials.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Answer, answer, startScriptedService } from '../aws-json/scripted-service.ts';

function credentialsUntil(minutes: number, id: string): Answer {
  const Expiration = new Date(Date.now() + minutes * 60_000).toISOString();
  return answer(200, { AccessKeyId: id, SecretAccessKey: 's', Token: 't', Expiration });
}

async function startAgent(script: readonly Answer[]) {
  const agent = await startScriptedService(script);
  onTestFinished(() => agent.close());
  return agent;
}

describe('credentials of a container', () => {
  it('are fetched once for all who wait, and kept', async () => {
    const agent = await startAgent([credentialsUntil(60, 'A')]);
    const provide = functionCredentials({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: 'Bearer x',
    });
    const both = await Promise.all([provide(), provide()]);
    expect(both.map(({ accessKeyId }) => accessKeyId)).toEqual(['A', 'A']);
    expect(await provide()).toMatchObject({ secretAccessKey: 's', sessionToken: 't' });
    expect(agent.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer x']);
  });

  it('are fetched again five minutes before they expire', async () => {
    const agent = await startAgent([credentialsUntil(4, 'A'), credentialsUntil(60, 'B')]);
    const provide = functionCredentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
    expect((await provide()).accessKeyId).toBe('A');
    expect((await provide()).accessKeyId).toBe('B');
    expect((await provide()).accessKeyId).toBe('B');
  });

  it('serve on while the agent fails and they are good', async () => {
    const agent = await startAgent([
      credentialsUntil(4, 'A'),
      answer(500),
      credentialsUntil(60, 'B'),
    ]);
    const provide = functionCredentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
    const ids = [await provide(), await provide(), await provide()].map((each) => each.accessKeyId);
    expect(ids).toEqual(['A', 'A', 'B']);
  });

  it('come with the token of a file, read each time', async () => {
    const file = join(temporaryDirectory(), 'token');
    const agent = await startAgent([credentialsUntil(1, 'A')]);
    const provide = functionCredentials({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
    });
    for (const token of ['one', 'two']) {
      writeFileSync(file, token);
      await provide();
    }
    expect(agent.requests.map(({ headers }) => headers.authorization)).toEqual(['one', 'two']);
  });

  it.each([
    ['an error', answer(404), /answered 404/],
    ['no keys', answer(200, { AccessKeyId: 'A' }), /without credentials/],
  ])('are refused if the agent answers %s', async (_name, line, message) => {
    const agent = await startAgent([line]);
    const provide = functionCredentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url });
    await expect(provide()).rejects.toThrow(message);
  });

  it('are not fetched in the clear from elsewhere', () => {
    const environment = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://credentials.example.com/' };
    expect(() => functionCredentials(environment)).toThrow('credentials.example.com');
  });
});

describe('credentials of the environment', () => {
  it('go before those of a container, and are read at each call', async () => {
    const environment: Record<string, string> = {
      AWS_ACCESS_KEY_ID: 'A',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: '',
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9',
    };
    const provide = functionCredentials(environment);
    expect(await provide()).toEqual({ accessKeyId: 'A', secretAccessKey: 's' });
    environment['AWS_ACCESS_KEY_ID'] = 'B';
    expect((await provide()).accessKeyId).toBe('B');
  });

  it('are needed', () => {
    expect(functionCredentials({ AWS_ACCESS_KEY_ID: 'A' })).toThrow('AWS_SECRET_ACCESS_KEY');
  });
});
