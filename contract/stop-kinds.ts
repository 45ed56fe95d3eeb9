/** What can stop a client, a secret or key, an API key or a provider. Each lifts only its own stop. */
export const stopKinds = ['person', 'stack', 'trunk_group', 'deletion'] as const;

export type StopKind = (typeof stopKinds)[number];
