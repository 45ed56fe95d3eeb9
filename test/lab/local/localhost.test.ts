import { describe, expect, it } from 'vitest';
import { buildLocalDeployment } from '../../../lab/local/local-deployment.ts';
import { localOrigin } from '../../../lab/local/localhost.ts';

describe('the origin of the local run', () => {
  it.each([
    ['http', 8080, 'http://localhost:8080'],
    ['https', 8080, 'https://localhost:8080'],
    ['http', 80, 'http://localhost'],
    ['https', 443, 'https://localhost'],
  ] as const)('%s on port %i is an issuer that a deployment takes', (scheme, port, origin) => {
    expect(localOrigin(scheme, port)).toBe(origin);
    expect(buildLocalDeployment(localOrigin(scheme, port)).config.issuer).toBe(origin);
  });
});
