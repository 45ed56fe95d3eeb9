"""Writes the resource servers and the clients of moto's Cognito, as the AWS CLI prints them."""

import json
import pathlib
import sys

import boto3
from moto import mock_aws

folder = pathlib.Path(sys.argv[1])
count = 600
# Cognito gives these no token: OAuth is off, the flow is another one, there is no secret.
stopped = {
    7: {"AllowedOAuthFlowsUserPoolClient": False},
    77: {"AllowedOAuthFlowsUserPoolClient": False},
    177: {"AllowedOAuthFlows": ["code"]},
    277: {"AllowedOAuthFlows": ["code", "implicit"]},
    377: {"AllowedOAuthFlows": []},
    477: {"GenerateSecret": False},
    577: {"GenerateSecret": False},
    597: {"AllowedOAuthFlowsUserPoolClient": False, "AllowedOAuthFlows": []},
}


def write(name, objects):
    (folder / name).write_text("".join(json.dumps(one, indent=4, default=str) + "\n" for one in objects))


with mock_aws():
    cognito = boto3.client("cognito-idp", region_name="us-west-2")
    pool = {"UserPoolId": cognito.create_user_pool(PoolName="m2m")["UserPool"]["Id"]}
    servers, clients, scopes = [], [], []
    # 15 resource servers with 73 scopes: 13 with five, two with four.
    for number in range(15):
        api = f"https://api.example.com/v{number}" if number % 2 else f"orders-{number}"
        names = ["read", "write", "export.all", "admin", "audit"][: 5 if number < 13 else 4]
        made = [{"ScopeName": name, "ScopeDescription": f"May {name}"} for name in names]
        server = cognito.create_resource_server(**pool, Identifier=api, Name=api, Scopes=made)
        servers.append({"ResourceServer": server["ResourceServer"]})
        scopes += [f"{api}/{name}" for name in names]
    for number in range(count):
        options = {
            "GenerateSecret": True,
            "AllowedOAuthFlows": ["client_credentials"],
            "AllowedOAuthFlowsUserPoolClient": True,
            "AllowedOAuthScopes": [scopes[(number + 5 * each) % len(scopes)] for each in range(1 + number % 6)],
            "AccessTokenValidity": 15,
            "TokenValidityUnits": {"AccessToken": "minutes"},
            **stopped.get(number, {}),
        }
        made = cognito.create_user_pool_client(**pool, ClientName=f"App {number}", **options)
        client_id = made["UserPoolClient"]["ClientId"]
        client = cognito.describe_user_pool_client(**pool, ClientId=client_id)
        clients.append({"UserPoolClient": client["UserPoolClient"]})
    write("resource-servers.json", servers)
    write("cognito.json", clients)
