#!/bin/sh
# Calls the example API with a token that is kept in a file until shortly before it expires.
# Needs curl and a POSIX shell; CLIENT_ID, CLIENT_SECRET, TOKEN_URL and EXAMPLE_URL from demo.env.
set -eu

# Seconds before expiry at which the next token is requested: clocks differ and requests take time.
renew_before=60
folder=${TOKEN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/access-tokens}
# A file for each client and server, which only its user reads.
cache=$folder/$(printf '%s %s' "$CLIENT_ID" "$TOKEN_URL" | cksum | tr ' ' -)
umask 077
mkdir -p "$folder"

# The secret comes to curl on its standard input, as arguments show in the process list. After 429
# and 503, --retry waits for as long as Retry-After says. A refusal is printed, and exits with 1.
request_token() {
  response=$(printf 'user = "%s:%s"\n' "$CLIENT_ID" "$CLIENT_SECRET" |
    curl --silent --show-error --max-time 60 --retry 1 --config - --write-out '\n%{http_code}' \
      --data grant_type=client_credentials --data scope=messaging:view "$TOKEN_URL") || return
  case $response in
    *'
200') ;;
    *) echo "no token: $response" >&2; return 1 ;;
  esac
  expires_in=$(printf '%s' "$response" | field expires_in)
  printf '%s\n%s\n' "$(($(date +%s) + expires_in - renew_before))" \
    "$(printf '%s' "$response" | field access_token)" >"$cache.$$"
  mv "$cache.$$" "$cache"
}

field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# Whether the file has a token that is not about to expire, and that no API refused. Its first line
# says when to renew.
is_kept() {
  [ -f "$cache" ] && [ "$(date +%s)" -lt "$(sed -n 1p "$cache")" ] &&
    [ "$(sed -n 2p "$cache")" != "$refused" ]
}

# Processes that start at once share one request: the one that makes the folder sends it. The folder
# of a process that was killed counts for a minute. After a refusal, nothing is kept.
keep_token() {
  until is_kept; do
    if mkdir "$cache.lock" 2>/dev/null; then
      trap 'rmdir "$cache.lock"' EXIT
      is_kept || request_token || { rm -f "$cache"; exit 1; }
      rmdir "$cache.lock"
      trap - EXIT
      return
    fi
    [ -z "$(find "$cache.lock" -prune -mmin +1 2>/dev/null)" ] || rmdir "$cache.lock" || :
    sleep 1
  done
}

call() {
  keep_token
  token=$(sed -n 2p "$cache")
  status=$(printf 'header = "Authorization: Bearer %s"\n' "$token" |
    curl --silent --show-error --config - --output /dev/null --write-out '%{http_code}' "$1")
}

for _ in 1 2; do
  refused=
  call "$EXAMPLE_URL"
  if [ "$status" = 401 ]; then
    refused=$token
    call "$EXAMPLE_URL"
  fi
  echo "GET $EXAMPLE_URL $status"
  [ "$status" = 200 ] || exit 1
done
