// Gets a token with the client that oapi-codegen made of the API's description, and prints its type.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	authenticate := func(_ context.Context, request *http.Request) error {
		request.SetBasicAuth(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
		return nil
	}
	client, err := NewClientWithResponses(os.Getenv("ISSUER"), WithRequestEditorFn(authenticate))
	if err != nil {
		panic(err)
	}
	scope := "messaging:view"
	form := TokenRequest{GrantType: "client_credentials", Scope: &scope}
	response, err := client.CreateTokenWithFormdataBodyWithResponse(context.Background(), form)
	if err != nil {
		panic(err)
	}
	if response.JSON200 == nil {
		panic(fmt.Sprintf("%d %s", response.StatusCode(), response.Body))
	}
	fmt.Println(response.JSON200.TokenType, response.JSON200.Scope)
}
