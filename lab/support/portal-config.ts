import type { DeploymentConfigInput } from '../../contract/deployment-config.ts';

/** The portal of a config, with what has no default. */
export const portalConfig = {
  region: 'slc',
  domain: {
    name: 'portal.example.com',
    hostedZoneId: 'Z0123456789ABC',
    hostedZoneName: 'example.com',
  },
  login: {
    issuer: 'https://login.example.com',
    clientId: 'portal',
    clientSecretArn:
      'arn:aws:secretsmanager:us-west-2:111122223333:secret:client-secret-of-the-login-AbCdEf',
  },
  people: {
    role: { claim: 'groups', viewer: ['readers'], manager: ['managers'] },
    trunkGroups: { claim: 'trunk_groups' },
  },
} as const satisfies DeploymentConfigInput['portal'];
