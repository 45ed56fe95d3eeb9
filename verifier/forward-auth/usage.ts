export const usage = `Usage: forward-auth --issuer URL --audience TEXT (--tables NAME | --own-tokens-only) [options]

Tells a proxy whether a request's bearer credential is accepted: an access token of the
authorization server, a token of a registered identity provider, or an API key. The proxy asks
/verify/SCOPE[,SCOPE…], or /verify/- if any accepted credential will do.

  --issuer URL                    the authorization server, as in its discovery document
  --audience TEXT                 a value of "aud" by which your API knows itself; repeatable
  --tables NAME                   the beginning of the authorization server's table names, or of
                                  their ARNs if they are in another account or region
  --own-tokens-only               accept only tokens of the issuer; no AWS access
  --client-address-header NAME    header in which the proxy sends the client's address, once;
                                  without it, API keys with subnets are refused
  --listen ADDRESS                127.0.0.1:9100 (default), [::1]:9100 or unix:/path
  --listen-beyond-loopback        allow an address that other machines reach
  --check-revocation refuse|accept
                                  look up the client of each token of the issuer too, and refuse
                                  tokens of disabled or deleted clients and revoked tokens. While
                                  DynamoDB does not answer, such tokens are refused (503) or
                                  accepted, with a line in the log each time.
                                  Default: no look-up; they stay valid until they expire
  --cache-lookups SECONDS         reuse a record for 0 to 60 s; a revocation takes as long.
                                  Default: 0
  --token-memory MEGABYTES        tokens whose signature is verified once: 0 to 64 MB of them.
                                  Each use still checks keys, times, audience and scopes.
                                  Default: 4
  --default-audience TEXT         the deployment's default audience; default: the first --audience
  --access-token-type TYPE        accessTokenType of the deployment: at+jwt (default), or JWT,
                                  which accepts both
  --realm TEXT                    protection space of the challenges; default: platform
  --resource URL                  URL of your API, which must be an --audience. Challenges then name
                                  its metadata (RFC 9728), and the check serves it to everyone:
                                  route /.well-known/oauth-protected-resource… of the API to it.
                                  Default: no metadata
  --log all|refused|none          requests that get a log line; default: refused
  --help, --version

Each option is also an environment variable: FORWARD_AUTH_ISSUER, FORWARD_AUTH_AUDIENCE (separated
by spaces), FORWARD_AUTH_OWN_TOKENS_ONLY=1, and so on. An option wins over its variable.

AWS credentials and region come from the usual places: environment, profile, container role, IRSA
or instance role. The role needs dynamodb:GetItem on the tables clients, api-keys and
identity-providers.
`;
