#!/bin/sh
# Calls the example API with a token that is kept in a file until shortly before it expires.
# Needs curl and a POSIX shell; CLIENT_ID, CLIENT_SECRET, TOKEN_URL and EXAMPLE_URL from demo.env.
set -eu

# Seconds before expiry at which the next token is fetched: clocks differ and requests take time.
refresh_before=120
cache=${TOKEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/example-access-token}

# The secret comes to curl on its standard input, as arguments show in the process list.
fetch_token() {
  printf 'user = "%s:%s"\n' "$CLIENT_ID" "$CLIENT_SECRET" |
    curl --silent --show-error --fail-with-body --config - \
      --data grant_type=client_credentials --data scope=messaging:view "$TOKEN_URL"
}

field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# First line of the cache: when to fetch the next token. Second line: the token.
access_token() {
  now=$(date +%s)
  if [ -f "$cache" ] && [ "$now" -lt "$(sed -n 1p "$cache")" ]; then
    sed -n 2p "$cache"
    return
  fi
  response=$(fetch_token)
  token=$(printf '%s' "$response" | field access_token)
  expires_in=$(printf '%s' "$response" | field expires_in)
  mkdir -p "$(dirname "$cache")"
  (umask 077 && printf '%s\n%s\n' "$((now + expires_in - refresh_before))" "$token" >"$cache")
  printf '%s\n' "$token"
}

for _ in 1 2; do
  token=$(access_token)
  status=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl --silent --show-error --config - --output /dev/null --write-out '%{http_code}' "$EXAMPLE_URL")
  echo "GET $EXAMPLE_URL $status"
done
