# Calls an API with the example of curl, in as many processes at once as each line says.
TOKEN_CACHE=$(mktemp -d "$2/XXXXXX")
export TOKEN_CACHE
once=$(sed 's/^for _ in 1 2;/for _ in 1;/' "$1")
while read -r line; do
  processes=
  for _ in $(seq "$(printf '%s' "$line" | tr -cd 0-9)"); do
    sh -c "$once" >/dev/null 2>>"$TOKEN_CACHE.errors" &
    processes="$processes $!"
  done
  ok=true
  for process in $processes; do
    wait "$process" || ok=false
  done
  echo "{\"ok\":$ok,\"why\":\"$(head -c 200 "$TOKEN_CACHE.errors" | tr -d '"\n\\')\"}"
done
