"""Compares the calls of a run with AWS's own models, which botocore has: names, types, limits."""

import json
import sys

import botocore.loaders
import botocore.model
import botocore.validate

SERVICES = "cloudformation cloudwatch dynamodb events iam kms lambda logs s3 sqs sts".split()

loader = botocore.loaders.Loader()
models = {}
for service in SERVICES:
    model = botocore.model.ServiceModel(loader.load_service_model(service, "service-2"))
    models[model.service_id.replace(" ", "") + "Client"] = model


def to_python(value):
    """Bytes are a Buffer of Node.js in the file."""
    if isinstance(value, dict) and value.get("type") == "Buffer":
        return bytes(value["data"])
    if isinstance(value, dict):
        return {name: to_python(one) for name, one in value.items()}
    return [to_python(one) for one in value] if isinstance(value, list) else value


checked = set()
for path in sys.argv[1:]:
    for line in open(path):
        call = json.loads(line)
        name = call["commandName"].removesuffix("Command")
        shape = models[call["clientName"]].operation_model(name).input_shape
        report = botocore.validate.ParamValidator().validate(to_python(call["input"]), shape)
        if report.has_errors():
            sys.exit(f"{call['clientName']} {name}: {report.generate_report()}")
        checked.add(f"{call['clientName']}.{name}")
print(f"AWS's models take every call: {len(checked)} operations")
