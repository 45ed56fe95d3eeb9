import { algs, defaultAlg } from '../../contract/signing-algorithms.ts';

export const usage = `Runs the whole authorization server on this machine, only on loopback.

usage: npm start [-- <flags>]

  --https            serve TLS, with a certificate that is made on first use and kept
  --reset            start from nothing: delete keys, tables, the demonstration client and certificates
  --algorithm <algs> the algorithms of tokens, separated by commas, ${defaultAlg} by default: ${algs.join(', ')};
                     new keys have the first one, and keys that exist move to it by rotation, so
                     add --reset to see it at once; one that a key still uses must stay in the list
  --access-token-type <type>
                     typ of access tokens: at+jwt by default, or JWT
  --check-revocation <choice>
                     the example API looks up the client of each token, so a revoked one stops at
                     once; while DynamoDB does not answer, it refuses or accepts: refuse, accept
  --rotation-demo    signing keys that live for four minutes, tokens for 20 seconds; watch them with
                     npx authctl --local signing-key list --watch
  --token-reuse <share>
                     issue a token again while this share of its life remains, e.g. 0.5, shared through
                     a table as instances in AWS would: docs/configuration.md
  --state <dir>      keep the state in another folder than .local
  --faults <file>    make DynamoDB, KMS and the clock fail as the file says: docs/faults.md
  --from-synth       run what "npx cdk synth" wrote to cdk.out, a process for each function, in
                     place of the sources, with the permissions of the templates:
                     docs/from-synth.md
  --config <file>    the deployment config that was synthesised; default the one of cdk.json
  --permissions-boundary <file>
                     with --from-synth, the policy of the boundary that the config names
  --help             show this text

environment:

  PORT               port of the service, default 8080; 0 takes a free one
  DYNAMODB_PORT      port of the DynamoDB server, default PORT + 1
  KMS_PORT           port of the KMS server, default PORT + 2
  PORTAL_PORT        port of the web portal, PORT + 5 if not set

demo.env in the state folder holds what other terminals need: set -a; . .local/demo.env; set +a
Read it again after a restart: each run makes its own access key for DynamoDB, KMS and Lambda.
`;
