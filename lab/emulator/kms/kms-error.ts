import { AwsError } from '../aws-server/aws-error.ts';

/**
 * An error with KMS's names and texts, as callers of the AWS SDK see them. See "Common errors" and
 * the errors of each operation in the KMS API reference.
 */
export class KmsError extends AwsError {
  constructor(type: string, message: string, status = 400) {
    super(type, message, status);
  }
}

export function validationError(message: string): KmsError {
  return new KmsError('ValidationException', message);
}

/** A member that violates a constraint, with the text of the AWS API frameworks. */
export function constraintError(member: string, constraint: string, value?: string): KmsError {
  const at = value === undefined ? 'Value' : `Value '${value}'`;
  return validationError(
    `1 validation error detected: ${at} at '${member}' failed to satisfy constraint: ${constraint}`,
  );
}

export function notFoundError(message: string): KmsError {
  return new KmsError('NotFoundException', message);
}
