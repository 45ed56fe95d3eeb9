/** Actions of statements that no request of the tests uses, and why they stay. */
export const unusedActions: Readonly<Record<string, string>> = {
  'local-slc-canary: Allow dynamodb:GetItem':
    'Reads a record back after a write whose answer was lost: test/integration/adapters/lost-answers.test.ts.',
  'local-slc-key-rotation: Allow dynamodb:GetItem':
    'Reads a record back after a write whose answer was lost: test/integration/adapters/lost-answers.test.ts.',
  'local-slc-key-rotation: Deny kms:TagResource':
    'Stops a rotation that was taken over; the product tags no existing key: test/lib/foreign-keys.test.ts.',
  'local-slc-notices: Allow events:PutEvents':
    'The emulator has no EventBridge: test/integration/notices, test/lib/permissions.test.ts.',
  'permissions of local-notices: Allow lambda:InvokeFunction':
    'EventBridge runs the function on AWS. The emulator has no bus for its notices.',
  'permissions of local-synthetic-check: Allow lambda:InvokeFunction':
    'EventBridge runs the synthetic check on AWS. The local run does not, so that its client is not in every list.',
};

/** Conditions that no request of the tests tells from a policy without them, and why they stay. */
export const unusedConditions: Readonly<Record<string, string>> = {
  'local-slc-key-rotation without Null kms:KeySpec (statement 13)':
    'Lets CreateKey tag the key that it creates: test/lib/foreign-keys.test.ts.',
  'local-slc-key-rotation without StringEqualsIfExists kms:KeySpec (statement 7)':
    'The product tags no existing key: test/lib/foreign-keys.test.ts.',
  'local-slc-notices without ArnEquals lambda:SourceFunctionArn (statement 2)':
    'The statement of events:PutEvents, as above.',
  'permissions of local-notices without ArnLike aws:SourceArn (statement 0)':
    'As above: no schedule of the local run invokes the function.',
  'permissions of local-synthetic-check without ArnLike aws:SourceArn (statement 0)':
    'As above: no schedule of the local run invokes the synthetic check.',
};
