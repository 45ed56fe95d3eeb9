/**
 * Tags of every signing key in KMS, set once at creation and never changed: a tag takes minutes to
 * count for authorization, so that nothing exact may follow a changing one.
 */
export const kmsKeyTags = {
  /** Value: the deployment's name. Roles select keys by it. */
  deployment: 'authorization-server:deployment',
  /** Value: id of the intent that was recorded before CreateKey; finds a key never recorded. */
  intent: 'authorization-server:intent',
} as const;

/** Days that KMS waits after ScheduleKeyDeletion: its maximum, so that a mistake can be undone. */
export const kmsDeletionWindowDays = 30;
