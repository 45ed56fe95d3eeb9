/**
 * Tags of every signing key in KMS, set once at creation and never changed: when a tag changes, KMS
 * takes minutes to use it for authorization, so no exact permission may depend on a change.
 */
export const kmsKeyTags = {
  /** Value: the deployment's name. Roles select keys by it. */
  deployment: 'authorization-server:deployment',
  /** Value: id of the intent that was recorded before CreateKey; finds a key never recorded. */
  intent: 'authorization-server:intent',
} as const;

/** Days that KMS waits after ScheduleKeyDeletion: its maximum, so that a mistake can be undone. */
export const kmsDeletionWindowDays = 30;
