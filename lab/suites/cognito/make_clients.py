"""Prints clients of moto's Cognito, as `aws cognito-idp describe-user-pool-client` prints them."""

import json

import boto3
from moto import mock_aws

api = "https://api.example.com"

with mock_aws():
    cognito = boto3.client("cognito-idp", region_name="us-west-2")
    pool = {"UserPoolId": cognito.create_user_pool(PoolName="m2m")["UserPool"]["Id"]}
    names = ["messages.read", "messages.send"]
    scopes = [{"ScopeName": name, "ScopeDescription": name} for name in names]
    cognito.create_resource_server(**pool, Identifier=api, Name="API", Scopes=scopes)
    for number in range(500):
        made = cognito.create_user_pool_client(
            **pool,
            ClientName=f"App {number}",
            GenerateSecret=True,
            AllowedOAuthFlows=["client_credentials"],
            AllowedOAuthFlowsUserPoolClient=True,
            AllowedOAuthScopes=[f"{api}/{name}" for name in names[number % 2 :]],
            AccessTokenValidity=15,
            TokenValidityUnits={"AccessToken": "minutes"},
        )
        client_id = made["UserPoolClient"]["ClientId"]
        client = cognito.describe_user_pool_client(**pool, ClientId=client_id)
        print(json.dumps({"UserPoolClient": client["UserPoolClient"]}, indent=4, default=str))
