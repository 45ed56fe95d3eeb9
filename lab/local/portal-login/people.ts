import type { PeopleMapping } from '../../../contract/portal-config.ts';
import type { Claims } from '../../../portal/login/people.ts';

/** A person at the local OpenID provider. Two customers and the platform's own staff. */
interface LocalPerson {
  readonly id: string;
  /** For the page on which a person is chosen. */
  readonly description: string;
  readonly claims: Claims;
}

export const customers = { acme: 'tg-acme', globex: 'tg-globex' } as const;

/** The issuer that is granted to each customer. A provider can run there (docs/providers.md). */
export const ownIssuers = {
  [customers.acme]: 'https://localhost:9443',
  [customers.globex]: 'https://localhost:9444',
} as const;

export const localPeople: readonly LocalPerson[] = [
  {
    id: 'ada',
    description: 'Manages the clients of the customer Acme',
    claims: {
      name: 'Ada Lovelace',
      email: 'ada@acme.example',
      groups: ['customer-managers'],
      trunk_groups: [customers.acme],
    },
  },
  {
    id: 'vic',
    description: 'Looks at the clients of the customer Acme',
    claims: {
      name: 'Vic Turner',
      email: 'vic@acme.example',
      groups: ['customer-viewers'],
      trunk_groups: [customers.acme],
    },
  },
  {
    id: 'grace',
    description: 'Manages the clients of the customer Globex',
    claims: {
      name: 'Grace Hopper',
      email: 'grace@globex.example',
      groups: ['customer-managers'],
      trunk_groups: [customers.globex],
    },
  },
  {
    id: 'linus',
    description: 'Works for the platform, and sees every customer',
    claims: {
      name: 'Linus Pauling',
      email: 'linus@platform.example',
      groups: ['platform-staff'],
      trunk_groups: [],
    },
  },
  {
    id: 'eve',
    description: 'Has an account at the provider, and no access to the portal',
    claims: { name: 'Eve Stone', email: 'eve@other.example', groups: [], trunk_groups: [] },
  },
];

export const localMapping: PeopleMapping = {
  role: {
    claim: 'groups',
    viewer: ['customer-viewers'],
    manager: ['customer-managers'],
    administrator: ['platform-staff'],
  },
  trunkGroups: { claim: 'trunk_groups' },
};
