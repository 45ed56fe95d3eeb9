import { AwsError } from '../aws-server/aws-error.ts';

// KMS's names and texts, as callers of the AWS SDK see them: "Common errors" and the errors of each
// operation in the KMS API reference.

export function validationError(message: string): AwsError {
  return new AwsError('ValidationException', message);
}

/** A member that violates a constraint, with the text of the AWS API frameworks. */
export function constraintError(member: string, constraint: string, value?: string): AwsError {
  const at = value === undefined ? 'Value' : `Value '${value}'`;
  return validationError(
    `1 validation error detected: ${at} at '${member}' failed to satisfy constraint: ${constraint}`,
  );
}

export function notFoundError(message: string): AwsError {
  return new AwsError('NotFoundException', message);
}
