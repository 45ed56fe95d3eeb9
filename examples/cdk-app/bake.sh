#!/usr/bin/env bash
# bake.sh PREFIX REGION SECONDS: watches the alarms whose names begin with the prefix. Ends with 1
# when one of them is on, or if CloudWatch does not answer: then the next region keeps its version.
set -euo pipefail
prefix=$1 region=$2 seconds=$3
interval=${BAKE_INTERVAL:-60}
while :; do
  alarms=$(aws cloudwatch describe-alarms --region "$region" --alarm-name-prefix "$prefix" \
    --alarm-types MetricAlarm CompositeAlarm --state-value ALARM \
    --query '[MetricAlarms[].AlarmName, CompositeAlarms[].AlarmName][]' --output text)
  if [ -n "$alarms" ]; then
    echo "on in $region: $alarms"
    exit 1
  fi
  [ "$SECONDS" -lt "$seconds" ] || break
  sleep "$interval"
done
echo "no alarm of $prefix was on in $region for $seconds seconds"
