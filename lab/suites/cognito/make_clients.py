"""Writes the resource servers and the clients of moto's Cognito, as the AWS CLI prints them.

Also the request of each caller, and what Cognito answers, in place of its endpoint, which moto does not have:
https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
"""

import base64
import json
import pathlib
import sys
from urllib.parse import quote, urlencode

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


def token_of(client, scopes):
    """What an API looks at: the client's id twice, its life and its scopes, whose order means nothing."""
    client_id = client["ClientId"]
    return f"{client_id} {client_id} 900 s: {' '.join(sorted(scopes))}"


def caller_of(client, number):
    """One in four sends Basic, one also its id, one as Spring encodes it, and one only the body."""
    client_id, secret = client["ClientId"], client.get("ClientSecret", "none")
    scopes = client["AllowedOAuthScopes"]
    form, headers = {"grant_type": "client_credentials"}, {}
    if number % 3 > 0:
        scopes = scopes[-(number % 3) :]
        form["scope"] = " ".join(scopes)
    if number % 2 == 1:
        form["client_id"] = client_id
    if number % 4 == 3:
        form["client_secret"] = secret
    else:
        pair = f"{quote(client_id)}:{quote(secret)}" if number % 4 == 2 else f"{client_id}:{secret}"
        headers["authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    is_on = client.get("AllowedOAuthFlowsUserPoolClient") and "ClientSecret" in client
    flows = client.get("AllowedOAuthFlows", [])
    answer = token_of(client, scopes) if is_on and "client_credentials" in flows else "401"
    variables = {
        "CLIENT_ID": client_id,
        "CLIENT_SECRET": secret,
        "SCOPE": " ".join(client["AllowedOAuthScopes"]),
    }
    whole = token_of(client, client["AllowedOAuthScopes"])
    form = {"headers": {**headers, "content-type": "application/x-www-form-urlencoded"}, "body": urlencode(form)}
    return {"request": form, "answer": answer, "variables": variables, "whole": whole}


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
    callers = [caller_of(one["UserPoolClient"], number) for number, one in enumerate(clients)]
    print(json.dumps(callers))
