import { describe, expect, it } from 'vitest';
import { createManagement } from '../../../adapters/management.ts';
import { testConfig } from '../../support/management.ts';

describe('createManagement', () => {
  it('asks the function', () => {
    expect(createManagement({ config: testConfig })).toHaveProperty('createClient');
  });
});
