"""Compares the calls of a run with AWS's own models, which botocore has: names, types, limits."""

import json
import sys

import botocore.loaders
import botocore.model
import botocore.validate

loader = botocore.loaders.Loader()
models = {}


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
        service, operation = call["service"], call["operation"]
        if service not in models:
            models[service] = botocore.model.ServiceModel(loader.load_service_model(service, "service-2"))
        shape = models[service].operation_model(operation[0].upper() + operation[1:]).input_shape
        report = botocore.validate.ParamValidator().validate(to_python(call["input"]), shape)
        if report.has_errors():
            sys.exit(f"{service} {operation}: {report.generate_report()}")
        checked.add(f"{service}.{operation}")
print(f"AWS's models take every call: {len(checked)} operations")
