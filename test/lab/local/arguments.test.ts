import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalRunError } from '../../../lab/emulator/loopback-server.ts';
import { parseArguments as parse } from '../../../lab/local/arguments.ts';
import { clone } from '../../../lab/local/clone.ts';

function parseArguments(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  return parse(flags, environment, clone);
}

describe('the arguments of npm start', () => {
  it('are all optional', () => {
    expect(parseArguments([], {})).toEqual({
      help: false,
      https: false,
      reset: false,
      rotationDemo: false,
      portalLogin: false,
      stateDirectory: resolve('.local'),
      port: 8080,
    });
  });

  it('are flags and ports', () => {
    const environment = { PORT: '9000', DYNAMODB_PORT: '9100', KMS_PORT: '0' };
    const flags = [
      '--https',
      '--reset',
      '--rotation-demo',
      '--portal-login',
      '--algorithm=ES256',
      '--state=/tmp/x',
    ];
    expect(parseArguments(flags, environment)).toEqual({
      help: false,
      https: true,
      reset: true,
      rotationDemo: true,
      portalLogin: true,
      stateDirectory: '/tmp/x',
      signingAlgorithms: ['ES256'],
      port: 9000,
      dynamodbPort: 9100,
      kmsPort: 0,
    });
  });

  it('name the type of access tokens', () => {
    const flags = ['--access-token-type', 'JWT'];
    expect(parseArguments(flags, {})).toMatchObject({ accessTokenType: 'JWT' });
    expect(() => parseArguments(['--access-token-type', 'jwt'], {})).toThrow(
      '--access-token-type: received "jwt"; allowed: at+jwt or JWT',
    );
  });

  it.each(['--htps', '--port=1', '-x', 'start', '--https=no', '--state'])('refuse %s', (flag) => {
    expect(() => parseArguments([flag], {})).toThrow(LocalRunError);
    expect(() => parseArguments([flag], {})).toThrow(
      'allowed: --https, --reset, --algorithm <algs>, --access-token-type <type>, --authorization-endpoint, --federated-clients, --dpop, --check-revocation <choice>, --rotation-demo, --fair-share, --state <dir>, --config <file>, --faults <file>, --portal-login, --help',
    );
  });

  it('of the package have nothing that only a clone can do', () => {
    const { extras: _, ...edition } = clone;
    expect(() => parse(['--portal-login'], {}, edition)).toThrow('unknown option');
  });

  it.each(['HS256', 'none', 'es256', '', 'RS256,', 'RS256 PS256', 'RS256,RS256'])(
    'refuse the algorithm "%s"',
    (algorithm) => {
      expect(() => parseArguments(['--algorithm', algorithm], {})).toThrow(
        new LocalRunError(
          `--algorithm: received "${algorithm}"; allowed: one or more of RS256, PS256, ES256, ES384, ML-DSA-44, ML-DSA-65, ML-DSA-87, each once, separated by commas`,
        ),
      );
    },
  );

  it.each(['65536', '-1', '1e3', '80a', ' 80', '100000'])('refuse the port "%s"', (PORT) => {
    expect(() => parseArguments([], { PORT })).toThrow(
      new LocalRunError(`PORT: received "${PORT}"; allowed: a whole number from 0 to 65535`),
    );
  });
});
