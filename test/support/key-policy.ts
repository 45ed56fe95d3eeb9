/** A key policy that leaves the key to the account, whose policies decide. */
export const keyPolicy = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: 'arn:aws:iam::000000000000:root' },
      Action: 'kms:*',
      Resource: '*',
    },
  ],
};
