import { AwsError } from '../aws-server/aws-error.ts';

/**
 * An error in KMS's words. The names and texts are those that the AWS SDK's callers see; see the
 * KMS API reference, "Common errors" and the errors of each operation.
 */
export class KmsError extends AwsError {
  constructor(type: string, message: string, status = 400) {
    super(type, message, status);
  }
}

export function validationError(message: string): KmsError {
  return new KmsError('ValidationException', message);
}

/** One member that breaks a constraint, in the words of the AWS API frameworks. */
export function constraintError(member: string, constraint: string, value?: string): KmsError {
  const at = value === undefined ? 'Value' : `Value '${value}'`;
  return validationError(
    `1 validation error detected: ${at} at '${member}' failed to satisfy constraint: ${constraint}`,
  );
}

export function notFoundError(message: string): KmsError {
  return new KmsError('NotFoundException', message);
}
