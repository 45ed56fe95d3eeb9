#!/bin/sh
# Gets a token with a key that never leaves AWS KMS: its key spec is RSA_2048, and the client has
# its public key for PS256. A signature with an ECC key is in DER, which a JWT does not take.
# Needs curl, openssl and the AWS CLI with kms:Sign; CLIENT_ID, ISSUER, TOKEN_URL and KMS_KEY.
set -eu

base64url() {
  openssl base64 -A | tr '+/' '-_' | tr -d '='
}

now=$(date +%s)
header='{"alg":"PS256","typ":"JWT"}'
claims=$(printf '{"iss":"%s","sub":"%s","aud":"%s","iat":%d,"exp":%d,"jti":"%s"}' \
  "$CLIENT_ID" "$CLIENT_ID" "$ISSUER" "$now" "$((now + 60))" "$(openssl rand -hex 16)")
input=$(printf '%s' "$header" | base64url).$(printf '%s' "$claims" | base64url)

# What is signed is no secret: without the signature it opens nothing.
signature=$(printf '%s' "$input" |
  aws kms sign --key-id "$KMS_KEY" --signing-algorithm RSASSA_PSS_SHA_256 \
    --message-type RAW --message fileb:///dev/stdin --query Signature --output text)
assertion=$input.$(printf '%s' "$signature" | tr '+/' '-_' | tr -d '=')

# The assertion comes to curl on its standard input, as arguments show in the process list.
printf 'data = "client_assertion=%s"\n' "$assertion" |
  curl --silent --show-error --fail-with-body --config - \
    --data grant_type=client_credentials --data scope=messaging:view \
    --data client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer "$TOKEN_URL"
