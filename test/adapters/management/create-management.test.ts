import { describe, expect, it } from 'vitest';
import { createManagement, InputError } from '../../../adapters/management.ts';
import { testConfig } from '../../support/management.ts';

describe('createManagement', () => {
  it.each(['tables', 'table', ''])(
    'refuses the place %j, which 0.2.0 may have named',
    (through) => {
      const create = () => createManagement({ config: testConfig, through } as never);
      expect(create).toThrow(InputError);
      expect(create).toThrow(
        `through: received ${JSON.stringify(through)}; createManagement asks the management function: leave "through" out`,
      );
    },
  );

  it.each([{}, { through: 'function' as const }])('asks the function with %j', (place) => {
    expect(createManagement({ config: testConfig, ...place })).toHaveProperty('createClient');
  });
});
