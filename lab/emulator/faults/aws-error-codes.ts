/** Services whose calls can be made to fail. */
export const faultyServices = ['dynamodb', 'kms'] as const;
export type FaultyService = (typeof faultyServices)[number];

/** Errors that each service really answers, with the status of its own model. */
export const awsErrorStatus: Readonly<Record<FaultyService, Readonly<Record<string, number>>>> = {
  dynamodb: {
    AccessDeniedException: 400,
    ExpiredTokenException: 400,
    InternalServerError: 500,
    ProvisionedThroughputExceededException: 400,
    ReplicatedWriteConflictException: 400,
    RequestLimitExceeded: 400,
    ResourceNotFoundException: 400,
    ServiceUnavailable: 503,
    ThrottlingException: 400,
    UnrecognizedClientException: 400,
  },
  kms: {
    AccessDeniedException: 400,
    DependencyTimeoutException: 503,
    DisabledException: 409,
    ExpiredTokenException: 400,
    KMSInternalException: 500,
    KMSInvalidStateException: 409,
    KeyUnavailableException: 500,
    NotFoundException: 400,
    ServiceUnavailable: 503,
    ThrottlingException: 400,
  },
};

/** The error of both services when they are called too often. */
export const throttlingCode = 'ThrottlingException';
