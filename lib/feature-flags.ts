import { CURRENTLY_RECOMMENDED_FLAGS, FLAGS } from 'aws-cdk-lib/cx-api';

/** Minor version of aws-cdk-lib with whose flags the templates are tested. */
const tested = 276;

const minorOf = (version = '') => Number(version.split('.')[1]);

const flags = Object.entries(CURRENTLY_RECOMMENDED_FLAGS).filter(
  ([name]) => minorOf(FLAGS[name]?.introducedIn.v2) <= tested,
);

/**
 * The feature flags of CDK that the templates are tested with, as context of an app: what CDK
 * recommended for a new project then. A clone, a project of `npm create` and a company's own app make
 * the same stacks with them, also with a later aws-cdk-lib, whose own `cdk flags` lists.
 */
export const featureFlags: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(flags),
  '@aws-cdk/core:target-partitions': ['aws'],
};
