import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';

/** The runtime of every bundle of this project. */
export const runtimeDefaults = {
  runtime: Runtime.NODEJS_24_X,
  architecture: Architecture.ARM_64,
  handler: 'index.handler',
  loggingFormat: LoggingFormat.JSON,
  tracing: Tracing.ACTIVE,
} as const;
