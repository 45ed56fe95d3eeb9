"""The ASGI app of MiniStack with six additions to its CloudFormation and DynamoDB.

1. AWS keeps a protected table, refuses to create one that exists, and imports it. MiniStack does
   none of this for the type AWS::DynamoDB::GlobalTable.
2. The file that FAIL_RESOURCE names has the logical id of one resource. Its next creation or change
   fails, once, before anything has been done to it.
3. The Ref of a secret is its ARN. MiniStack gives the name.
4. An update of a global table adds or removes one index at most, and does not wait until a new one
   is filled: it cannot be read while the file that HOLD_INDEXES names exists. A rollback leaves a
   new index behind. (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-dynamodb-globaltable.html)
5. What has a fixed name and exists is not created again: log groups and backup vaults
   (ResourceAlreadyExistsException, AlreadyExistsException; MiniStack refuses the others by itself).
   A change set imports it, and event buses. A policy that people or roles have is not deleted
   (https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeletePolicy.html, DeleteConflict), and
   the ARN that identifies it is no property of a template, so no change set finds it
   (https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html).
6. When a custom resource names an alias of its function, the function learns it, as from other calls.
"""

import os
from contextvars import ContextVar
from pathlib import Path

from ministack.app import app
from ministack.core.responses import error_response_json, get_region
from ministack.services import backup, cloudformation, cloudwatch_logs, dynamodb, eventbridge, iam, lambda_svc, secretsmanager
from ministack.services.cloudformation import changesets, custom_resource, provisioners, stacks

GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"
SECRET = "AWS::SecretsManager::Secret"
POLICY = "AWS::IAM::ManagedPolicy"


def is_protected(properties: dict) -> bool:
    replicas = properties.get("Replicas") or []
    own = [replica for replica in replicas if replica.get("Region") == get_region()]
    return any(str(replica.get("DeletionProtectionEnabled")).lower() == "true" for replica in own)


def keep_tables() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[GLOBAL_TABLE]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def create_strictly(logical_id, properties, stack_name):
        name = properties.get("TableName")
        if name in dynamodb._tables:
            raise ValueError(f"Resource of type '{GLOBAL_TABLE}' with identifier '{name}' already exists.")
        created = create(logical_id, properties, stack_name)
        dynamodb._tables[created[0]]["DeletionProtectionEnabled"] = is_protected(properties)
        return created

    def update_protection(physical_id, old, new, stack_name):
        updated = update(physical_id, old, new, stack_name)
        dynamodb._tables[updated[0]]["DeletionProtectionEnabled"] = is_protected(new)
        return updated

    def delete_strictly(physical_id, properties):
        if dynamodb._tables.get(physical_id, {}).get("DeletionProtectionEnabled"):
            raise ValueError(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        delete(physical_id, properties)

    handlers.update(
        {
            "create": create_strictly,
            "update": update_protection,
            "delete": delete_strictly,
            "import": provisioners._ddb_import,
        }
    )
    changesets._IMPORT_LOOKUPS[GLOBAL_TABLE] = changesets._IMPORT_LOOKUPS["AWS::DynamoDB::Table"]


# By type: the property that names a resource, what has these names, and its attributes.
NAMED = {
    "AWS::Logs::LogGroup": ("LogGroupName", lambda: cloudwatch_logs._log_groups, None),
    "AWS::Backup::BackupVault": (
        "BackupVaultName",
        lambda: backup._vaults,
        lambda name: {"BackupVaultArn": backup._vault_arn(name), "BackupVaultName": name},
    ),
    "AWS::Events::EventBus": (
        "Name",
        lambda: eventbridge._event_buses,
        lambda name: {"Arn": eventbridge._event_buses[name]["Arn"], "Name": name},
    ),
}


def keep_named(resource_type: str) -> None:
    key, existing, attributes = NAMED[resource_type]
    handlers = provisioners._RESOURCE_HANDLERS[resource_type]
    create = handlers["create"]

    def create_strictly(logical_id, properties, stack_name):
        name = properties.get(key)
        if name in existing():
            raise ValueError(f"Resource of type '{resource_type}' with identifier '{name}' already exists.")
        return create(logical_id, properties, stack_name)

    def import_named(identifier):
        return identifier[key], attributes(identifier[key])

    def problem(name):
        return None if name in existing() else f"{resource_type} {name} does not exist"

    handlers["create"] = create_strictly
    if attributes is not None:
        handlers["import"] = import_named
        changesets._IMPORT_LOOKUPS[resource_type] = ((key,), problem)


def keep_attached_policies() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[POLICY]
    create, delete = handlers["create"], handlers["delete"]

    def create_strictly(logical_id, properties, stack_name):
        name = properties.get("ManagedPolicyName")
        if any(policy.get("PolicyName") == name for policy in iam._policies.values()):
            raise ValueError(f"A policy called {name} already exists. Duplicate names are not allowed.")
        return create(logical_id, properties, stack_name)

    def delete_strictly(physical_id, properties):
        own = sum(len(properties.get(kind) or []) for kind in ("Roles", "Users", "Groups"))
        if iam._policies.get(physical_id, {}).get("AttachmentCount", 0) > own:
            raise ValueError("Cannot delete a policy attached to entities. (Service: Iam, Status Code: 409)")
        delete(physical_id, properties)

    handlers.update({"create": create_strictly, "delete": delete_strictly})


def indexes_of(properties: dict) -> dict:
    return {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes") or []}


def change_one_index() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[GLOBAL_TABLE]
    update = handlers["update"]

    def update_one_index(physical_id, old, new, stack_name):
        before, after = indexes_of(old), indexes_of(new)
        stack = cloudformation._stacks.get(stack_name) or {}
        if "ROLLBACK" in stack.get("StackStatus", ""):
            new = {**new, "GlobalSecondaryIndexes": list({**after, **before}.values())}
        elif len(before.keys() ^ after.keys()) > 1:
            raise ValueError("Cannot perform more than one GSI creation or deletion in a single update")
        return update(physical_id, old, new, stack_name)

    handlers["update"] = update_one_index


def fill_indexes_later(hold: Path) -> None:
    describe, update = dynamodb._describe_table, dynamodb._update_table
    query, scan = dynamodb._query, dynamodb._scan

    def unfilled(data: dict) -> list:
        table = dynamodb._tables.get(data.get("TableName")) or {}
        indexes = table.get("GlobalSecondaryIndexes") or []
        return [index for index in indexes if index.get("IndexStatus") == "CREATING"]

    def fill(data: dict) -> None:
        if hold.exists():
            return
        for index in unfilled(data):
            index.pop("Backfilling", None)
            index["IndexStatus"] = "ACTIVE"

    def describe_filled(data):
        fill(data)
        return describe(data)

    def update_and_fill(data):
        creations = [one["Create"] for one in data.get("GlobalSecondaryIndexUpdates", []) if "Create" in one]
        for creation in creations:
            creation.update(IndexStatus="CREATING", Backfilling=True)
        response = update(data)
        fill(data)
        return response

    def read_filled(read):
        def read_or_refuse(data):
            fill(data)
            name = data.get("IndexName")
            if any(index["IndexName"] == name for index in unfilled(data)):
                message = f"Cannot read from backfilling global secondary index: {name}"
                return error_response_json("ValidationException", message, 400)
            return read(data)

        return read_or_refuse

    dynamodb._describe_table, dynamodb._update_table = describe_filled, update_and_fill
    dynamodb._query, dynamodb._scan = read_filled(query), read_filled(scan)


def fail_on_demand(wanted: Path) -> None:
    provision, update = stacks._provision_resource, stacks._update_resource

    def fail(logical_id: str) -> None:
        if not wanted.exists() or wanted.read_text() != logical_id:
            return
        wanted.unlink()
        raise ValueError(f"{logical_id} fails because this test asked for it")

    def provision_or_fail(resource_type, logical_id, properties, stack_name):
        fail(logical_id)
        return provision(resource_type, logical_id, properties, stack_name)

    def update_or_fail(resource_type, physical_id, old, new, stack_name, logical_id=None, attributes=None):
        if old != new:
            fail(logical_id)
        return update(resource_type, physical_id, old, new, stack_name, logical_id, attributes)

    stacks._provision_resource, stacks._update_resource = provision_or_fail, update_or_fail


def refer_to_secrets_by_arn() -> None:
    handlers = provisioners._RESOURCE_HANDLERS[SECRET]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def name_of(arn: str) -> str:
        return next(name for name, secret in secretsmanager._secrets.items() if secret["ARN"] == arn)

    def create_with_arn(logical_id, properties, stack_name):
        _, attributes = create(logical_id, properties, stack_name)
        return attributes["Arn"], attributes

    def update_by_arn(physical_id, old, new, stack_name, logical_id=None):
        _, attributes = update(name_of(physical_id), old, new, stack_name, logical_id)
        return attributes["Arn"], attributes

    handlers.update(
        {
            "create": create_with_arn,
            "update": update_by_arn,
            "delete": lambda physical_id, properties: delete(name_of(physical_id), properties),
        }
    )


def invoke_by_alias() -> None:
    invoke, record = custom_resource.invoke_custom_resource, lambda_svc._execution_record_for_config
    invoked = ContextVar("invoked", default=None)

    def invoke_token(request_type, logical_id, properties, *others, **named):
        before = invoked.set(properties.get("ServiceToken"))
        try:
            return invoke(request_type, logical_id, properties, *others, **named)
        finally:
            invoked.reset(before)

    def record_invoked(function, config):
        arn = invoked.get()
        return record(function, {**config, "FunctionArn": arn} if arn else config)

    custom_resource.invoke_custom_resource = invoke_token
    lambda_svc._execution_record_for_config = record_invoked


keep_tables()
for resource_type in NAMED:
    keep_named(resource_type)
keep_attached_policies()
change_one_index()
fill_indexes_later(Path(os.environ["HOLD_INDEXES"]))
refer_to_secrets_by_arn()
invoke_by_alias()
fail_on_demand(Path(os.environ["FAIL_RESOURCE"]))
__all__ = ["app"]
