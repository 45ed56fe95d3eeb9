/** Policy numbers of the service. Each is defined here once, with its reason. */

export const secondsPerDay = 86_400;

/** The latest time, in seconds since the epoch: RFC 3339 has no year after 9999. */
export const lastTime = 253_402_300_799;

/** OAuth clients send well under 1 KiB; a larger form without assertion is refused before it is parsed. */
export const maxTokenFormBytes = 8 * 1024;

/** A form of the portal: the largest, an API key with 100 subnets, has 12 KiB. */
export const maxPortalFormBytes = 16 * 1024;

/** Enough for every registered parameter of RFC 6749 and RFC 8707 with room for unknown ones. */
export const maxFormParameters = 32;

/** Basic of the longest id and secret that we issue is 120 bytes; foreign encodings triple it. */
export const maxAuthorizationBytes = 2 * 1024;

/** Generated ids have 29 characters; no record holds a longer one than this. */
export const maxClientIdLength = 256;

/** As many as a client of Amazon Cognito has at most. */
export const maxScopesPerClient = 50;

/**
 * Joined scope names of one client, in bytes: 1,400 in the claim are 1,867 in base64url. With the
 * longest identifiers, the signing input stays in bounds.
 */
export const maxScopeBytes = 1400;

/**
 * DNS allows 253 characters; the first name of a certificate, its Common Name, takes 64 (ACM's
 * RequestCertificate, RFC 5280). The domain is also part of each token.
 */
export const maxDomainNameLength = 64;

/** An audience is a URI, and part of each token. */
export const maxAudienceLength = 256;
export const maxAudiencesPerClient = 10;

/** A trunk group names a customer's service, and is part of each token. */
export const maxServiceTrunkGroupLength = 64;

/** Names for people: clients, secrets, keys, subnets. Amazon Cognito's have as many characters. */
export const maxNameLength = 128;

/**
 * Bytes of a JWS signing input. KMS signs at most 4,096 bytes RAW, which ML-DSA needs; the rest
 * is margin. An RS256 token then stays under 4.4 kB, below common 8 kB header limits.
 */
export const maxSigningInputBytes = 3000;

/** Specification §8: one hour unless the client says otherwise, in seconds. */
export const defaultTokenLifetime = 3600;
/** In seconds. A lifetime below a minute is used up by network latency and clock differences. */
export const minTokenLifetime = 60;
/**
 * In seconds. A verifier without client look-ups accepts a token until it expires, so a revocation
 * reaches it after a day at most.
 */
export const maxTokenLifetime = secondsPerDay;

/**
 * Live secrets of one client. Each costs one hash comparison and about 200 bytes of the one item
 * that authenticates; 100 allow one per deployment unit and rotation.
 */
export const maxSecretsPerClient = 100;

/** Events of a client's resource that are remembered. A stack sends a few in half an hour. */
export const maxStackEvents = 50;

/**
 * Public keys of one client: two of each of three types. With them and two secrets, its item is
 * still read with one unit of 4 KB.
 */
export const maxKeysPerClient = 6;

/** Of RSA among them, which are the longest. */
export const maxRsaKeysPerClient = 2;

/** Old values of an API key that still work. Each is one more comparison at every request. */
export const maxOldValues = 4;

/** Idempotency keys of rotations that an API key remembers: a repetition after as many more rotates again. */
export const maxRotationIds = 16;

/**
 * A secret expires soon when it has this many seconds left or fewer: two weeks are time for a
 * release with a new secret. `authctl`, the portal and the metric of the token function use it.
 */
export const secretExpiresSoonWithin = 14 * secondsPerDay;

/** Clients, or API keys, that a limit of a trunk group can name: its quota (docs/limits.md). */
export const maxLimitedItems = 10_000;

/** Providers that a limit of a trunk group can name: the item stays below 110 KB. */
export const maxLimitProviders = 100;

/** Providers that a limit can allow a trunk group to register for itself. */
export const maxOwnProviders = 100;

/** Bytes of JSON of the grants at one issuer or host, some 3,000. A DynamoDB item takes 400 KB. */
export const maxGrantListBytes = 300_000;

/** Subnets of one API key: each costs one comparison per request. */
export const maxSubnetsPerApiKey = 100;

/**
 * Clock difference that this service's own verifier forgives, in seconds: above what NTP leaves,
 * far below a token's life (the FAPI suite accepts 8 s and refuses 60 s).
 */
export const verifierLeeway = 10;

/**
 * Seconds by which `iat` and `nbf` of what a client makes may be in the future: assertions and
 * proofs of clocks that are ahead. FAPI 2.0 §5.3.2.1 refuses more than 60.
 */
export const maxClockLead = 60;

/** Most that it can forgive a provider whose clock is worse, in seconds. RFC 7519 §4.1.4: "small". */
export const maxProviderLeeway = 60;

/** A token longer than this is refused before it is parsed: the largest ML-DSA-87 token fits. */
export const maxTokenBytes = 12 * 1024;

/** Where a form may have an assertion: the longest token, and the other parameters. */
export const maxAssertionFormBytes = maxTokenBytes + 4096;

/** Characters of a key set that is given: three times a large real one, and a record of 400 KB has room. */
export const maxGivenKeys = 65_536;

/** A provider's discovery document or key set, in bytes: large real ones have 20 KiB. */
export const maxProviderDocumentBytes = 256 * 1024;

/**
 * Milliseconds for one document of a provider, from resolving its name to the last byte. A request
 * waits for it, and a provider that hangs holds it for as long.
 */
export const providerFetchTimeout = 2000;

/**
 * Milliseconds for all documents of one inspection or registration. What customers ask for must not
 * hold the executions that the staff needs to stop something.
 */
export const inspectionTime = { staff: 5000, others: 2000 } as const;

/**
 * Milliseconds for a document of this service, whose function may have to start, and of the
 * provider that the company chose for its own login.
 */
export const trustedFetchTimeout = 5000;

/** Keys in a provider's set: each is checked at registration and at every refresh. */
export const maxProviderKeys = 100;

/**
 * Keys, and bits of an RSA key, of a provider that a customer registers for itself. Every instance
 * of every check keeps them; large providers have about ten keys of 2,048 or 4,096 bits.
 */
export const maxOwnProviderKeys = 20;
export const maxOwnProviderKeyBits = 4096;

/**
 * Bytes of the key sets that one process keeps, for the providers of customers and for all others
 * each: 1,400 issuers with five keys. An issuer without keys counts 4 KiB.
 */
export const keyCacheWeight = 16 * 1024 * 1024;

/** Longest issuer, and URL, of a provider: an issuer is a key in DynamoDB, which takes 2,048. */
export const maxProviderUrlLength = 1024;

/** RFC 7638 thumbprints have 43 characters; some providers use URLs or certificate names. */
export const maxKeyIdLength = 256;

/** Ids of clients and subjects at a provider: OpenID Connect Core §2 limits `sub` to 255. */
export const maxExternalIdLength = 255;

/**
 * Patterns that are looked up for one token of a provider, each with one read: the branches
 * `refs/heads/a/b/` of a CI subject, or the path of a SPIFFE id, are no deeper.
 */
export const maxClientPatternLookups = 4;

/** Claims that a client's tokens must have, and values of each: the item stays small. */
export const maxClaimConditions = 10;
export const maxClaimConditionValues = 10;

/** Items of a list of an input that says no lower bound. Of a longer list, no item is looked at. */
export const maxGivenItems = 500;

/** Unknown fields of an object that a message names: each is compared with every known one. */
export const maxUnknownFields = 10;

/** Deeper JSON than this is in no token that anyone issues; it only costs stack. */
export const maxJsonDepth = 32;

/**
 * How a verifier keeps a JWKS, in seconds.
 *
 * - `refreshAfter`: from this age on a set is fetched again next to the request. It is the usual
 *   `max-age` of this service's own JWKS.
 * - `refreshBefore`: from this age on the request waits for the fetch. With a key's issuer
 *   reachable, a withdrawn key stops verifying within this time.
 * - `cooldown`: least time from the end of a fetch to the next one of the issuer, regardless of the
 *   key ids that arrive. Two fetches a minute cost a provider nothing, and a key that a provider uses
 *   at once is found within 30 seconds.
 * - `coldRetry`: the same after a first failure, when there is no set yet. It doubles with each
 *   further failure, up to `longestPause`, for a provider that customers registered for themselves
 *   up to `longestOwnPause`: each attempt can hold requests for `providerFetchTimeout`.
 * - `dropAfter`: age at which a set that cannot be fetched again is dropped. It is the longest
 *   verifier cache that the rotation reckons with (`verifierCache` of the signing key policy).
 */
export const jwksCacheTimes = {
  refreshAfter: 300,
  refreshBefore: 600,
  cooldown: 30,
  coldRetry: 5,
  longestPause: 30,
  longestOwnPause: 300,
  dropAfter: secondsPerDay,
} as const;

/** Seconds of `max-age` of discovery documents. The URLs in an old one continue to work. */
export const discoveryMaxAge = 3600;

/**
 * Milliseconds that a request may take before its calls to AWS are given up: two slow attempts and
 * a quick one fit (see the adapters' call profile). OAuth clients wait 10 s and more, and a
 * function that waits longer for a service that is down only holds concurrency.
 */
export const requestDeadline = 5000;

/**
 * Failed authentications of one client from one source address that an instance of the token
 * function accepts in a window of so many seconds.
 *
 * A secret has 256 random bits, so it cannot be guessed. RFC 6749 §2.3.1 asks for the limit, and it
 * keeps load off DynamoDB. A window of a minute is short enough that no one calls support. A
 * service with an old secret repeats that secret: it gets twice as many attempts, and does not
 * block callers with the right secret. 10,000 counters take about a megabyte. When a source creates
 * that many within a minute, it exceeds the web ACL's rate.
 */
export const authenticationFailureThrottle = {
  window: 60,
  distinctSecrets: 10,
  repetitions: 20,
  capacity: 10_000,
} as const;

/**
 * Failed assertions in one instance: of one source and issuer before a good signature, of one subject
 * after it. One assertion that is repeated counts, and others next to it do not.
 */
export const assertionFailureThrottle = {
  window: 60,
  distinctSecrets: Infinity,
  repetitions: 20,
  capacity: 10_000,
} as const;

/** Seconds for which an instance remembers a subject without a client, and how many of them. */
export const assertionMemory = { seconds: 5, entries: 1000 } as const;

/** Seconds: a token for an assertion lives at most this long, and this long after its `exp`. */
export const assertionTokens = { longestLife: 3600, afterExpiry: 900 } as const;

/** Milliseconds to fetch a provider's keys for an assertion, below the alarm `slowTokenRequest`. */
export const assertionFetchTimeout = 1500;

/** Seconds for which a browser may cache a preflight response: the most that any supports. */
export const preflightMaxAge = secondsPerDay;

/**
 * Seconds by which a function's clock may differ from API Gateway's. A request may wait 29 s for a
 * function; AWS keeps its clocks within a second. When a clock differs by more, tokens are not
 * valid yet, or are valid for too long.
 */
export const maxClockDifference = 120;

/** How the last use of API keys is recorded, in one instance of a verifier. */
export const apiKeyUseBounds = {
  /** Values that are remembered, so that each is read once a day, as numbers: 7 MB. */
  remembered: 100_000,
  /** Reads and writes at the same time. A use above it is recorded with a later request. */
  concurrent: 16,
  /** Seconds without another after one that failed. */
  pause: 60,
  /** Days for which a day is kept: as long as the logs, 13 months. */
  keptDays: 400,
} as const;

/**
 * Seconds after midnight UTC over which the first uses of the day are recorded: 250,000 credentials are
 * 70 writes a second, and a new table takes 4,000.
 */
export const lastUseSpread = 3600;

/** Milliseconds that a person waits for the last uses of API keys in all regions. */
export const apiKeyUseReadWait = 1000;

/**
 * Tokens whose signature a verifier does not verify again, in megabytes of their text. Their claims
 * take about three times as much memory: 4 MB are some 4,000 tokens, the callers of a busy API.
 */
export const tokenMemoryMegabytes = { default: 4, max: 64 } as const;

/**
 * Milliseconds for which a check that accepts tokens without a look-up waits for the client's
 * record: far above DynamoDB's usual 10 ms. An outage delays each request by this time.
 */
export const optionalLookupDeadline = 500;

/**
 * Longest time for which a verifier may cache a record, in seconds. A revoked API key continues to
 * work for as long. No operator expects a revocation to take more than a minute.
 */
export const maxLookupCacheSeconds = 60;

/**
 * Seconds for which a process uses the record of a provider that it has read, and after which it reads
 * one in use again next to a request. Every token of a provider needs this one item, and a partition
 * of DynamoDB gives 6,000 such reads a second. A provider that was stopped is accepted for as long.
 */
export const providerHold = { seconds: 5, refreshAfter: 2.5 } as const;

/** Items on one page of a list. 500 usual clients are 300 KiB; DynamoDB reads 1 MiB at once. */
export const maxListedItems = 500;

/**
 * Items that are looked at for one page of a filtered list. It bounds the time that a page takes;
 * DynamoDB stops at 1 MiB, which is 1,700 clients of a usual size.
 */
export const maxExaminedItems = 1000;

/**
 * Trunk groups that a caller can be restricted to: the most that one DynamoDB condition can compare.
 */
export const maxTrunkGroupsOfReach = 100;

/**
 * Milliseconds that the forward-auth check may take for one decision. The proxy's own timeout must
 * be longer, so that the caller gets the 503 of the check with its `Retry-After`.
 */
export const checkDeadline = 2500;

/** Reads of 1 MiB that look for a secret in a whole table: 250,000 clients with three secrets are 240. */
export const maxTableReads = 400;

/** Days of a history, if its subject no longer exists: what the logs keep. */
export const historyDays = 400;

/**
 * Synchronous requests a second that Lambda lets one execution serve, however short they are ("Lambda
 * quotas" of its developer guide). So concurrency limits the rate also of functions that take
 * milliseconds.
 */
export const requestsOfExecution = 10;

/**
 * Bytes of the resource policy of a function's alias:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html, November 2026.
 */
export const maxAliasPolicyBytes = 20_480;

/**
 * Executions that a portal keeps, of which each page can hold one of the management function, and those
 * of that function that are left to operators, who stop something with them.
 */
export const portalExecutions = 50;
export const operatorExecutions = 10;

/** Signatures a second that KMS gives an account in an AWS region, for each family of keys. */
export const defaultKmsSignQuota = 1000;

/**
 * Executions that Lambda keeps for functions without a reservation; all of them, if an account has
 * fewer: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html, November 2026.
 */
export const leastUnreserved = 100;
