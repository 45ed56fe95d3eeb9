import { describe, expect, it } from 'vitest';
import { portalConfig } from '../../lab/support/portal-config.ts';
import { readConfigFile, synthesise } from './synthesise.ts';

/** Whether each stack is protected, as the CDK passes it to CloudFormation. */
function protectionOf(config: object): readonly (readonly [string, boolean])[] {
  const { app, templates } = synthesise(config);
  return app.synth().stacks.map(({ stackName, terminationProtection }) => {
    expect(Object.keys(templates)).toContain(stackName);
    return [stackName, terminationProtection === true] as const;
  });
}

const single = readConfigFile('single-region');
const three = readConfigFile('three-regions');
const { domain } = three;

describe('termination protection', () => {
  it('is on for every stack of a config with a domain', () => {
    const found = protectionOf(three);
    expect(found).toHaveLength(4);
    expect(found.map(([, isProtected]) => isProtected)).toEqual([true, true, true, true]);
  });

  it('is on for the portal, too', () => {
    expect(protectionOf({ ...three, portal: portalConfig }).map(([, on]) => on)).toEqual(
      Array<boolean>(5).fill(true),
    );
  });

  it.each([
    ['a trial', {}, false],
    ['a name', { domain }, true],
    ['someone who is alarmed', { alarmEmails: ['oncall@example.com'] }, true],
    ['the key', { terminationProtection: true }, true],
    ['the key, against a name', { domain, terminationProtection: false }, false],
  ])('of one region with %s', (_, added, expected) => {
    expect(protectionOf({ ...single, ...added })).toEqual([['AuthorizationServer-slc', expected]]);
  });
});
