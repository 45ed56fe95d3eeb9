import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile, type Synthesis, synthesise } from './synthesise.ts';

const config = {
  ...readConfigFile('single-region'),
  tokenReuse: { minimumRemainingShare: 0.5 },
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
  it('is its memory and its variable for token reuse', () => {
    templateOf(synthesis)?.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'authorization-server-token',
      MemorySize: 512,
      Environment: { Variables: Match.objectLike({ AUTH_TOKEN_REUSE_SHARE: '0.5' }) },
    });
    templateOf(usual)?.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'authorization-server-token',
      MemorySize: 1769,
      Environment: { Variables: Match.objectLike({ AUTH_TOKEN_REUSE_SHARE: Match.absent() }) },
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
