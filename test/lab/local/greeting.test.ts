import { expect, it } from 'vitest';
import { rotationDemoHint } from '../../../lab/local/greeting.ts';
import { rotationDemo } from '../../../lab/local/rotation-demo.ts';

it('the rotation demo says which verifiers cannot follow it', () => {
  const { verifierCache } = rotationDemo.signingKeyPolicy ?? {};
  expect(rotationDemoHint).toContain(
    `Verifiers that keep the JWKS for more than ${verifierCache} seconds cannot follow.`,
  );
});
