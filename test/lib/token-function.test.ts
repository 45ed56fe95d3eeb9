import { beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile, type Synthesis, synthesise } from './synthesise.ts';

const config = {
  ...readConfigFile('single-region'),
  tokenFunction: { memory: 512, provisionedConcurrency: 2 },
};

let synthesis: Synthesis;
let usual: Synthesis;
beforeAll(() => {
  synthesis = synthesise(config);
  usual = synthesise(readConfigFile('single-region'));
});

const templateOf = ({ templates }: Synthesis) => Object.values(templates)[0];

describe('what the config says of the token function', () => {
  it('is its memory', () => {
    templateOf(synthesis)?.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'authorization-server-token',
      MemorySize: 512,
    });
    templateOf(usual)?.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'authorization-server-token',
      MemorySize: 1769,
    });
  });

  it('is how many instances its live version keeps started', () => {
    const kept = { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: 2 } };
    templateOf(synthesis)?.resourcePropertiesCountIs('AWS::Lambda::Alias', kept, 1);
    const all = templateOf(usual)?.findResources('AWS::Lambda::Alias') ?? {};
    expect(Object.keys(all)).not.toEqual([]);
    expect(JSON.stringify(all)).not.toContain('ProvisionedConcurrencyConfig');
  });
});
