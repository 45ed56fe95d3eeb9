// Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.
// `default` is the library as it comes; `ready` has the lines that this service requires.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/prometheus/common/config"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// mcpServer answers for the MCP server; the service is asked for everything else.
type mcpServer struct{ audience, issuer string }

func (server mcpServer) RoundTrip(request *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(request.URL.String(), server.audience) {
		return http.DefaultTransport.RoundTrip(request)
	}
	body, _ := json.Marshal(map[string]any{
		"resource":              server.audience,
		"authorization_servers": []string{server.issuer},
		"scopes_supported":      []string{"messaging:view"},
	})
	return &http.Response{
		StatusCode: 200,
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(strings.NewReader(string(body))),
		Request:    request,
	}, nil
}

// withMcp does what the SDK's transport does after a 401 of the server: its metadata, discovery, token.
func withMcp() func() (*oauth2.Token, error) {
	audience := os.Getenv("AUDIENCE")
	handler, err := extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{
			ClientID:         os.Getenv("CLIENT_ID"),
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: os.Getenv("CLIENT_SECRET")},
			Issuer:           os.Getenv("ISSUER"),
		},
		HTTPClient: &http.Client{Transport: mcpServer{audience, os.Getenv("ISSUER")}},
	})
	address, _ := url.Parse(audience)
	return func() (*oauth2.Token, error) {
		ctx := context.Background()
		if err != nil {
			return nil, err
		}
		if source, _ := handler.TokenSource(ctx); source != nil {
			return source.Token()
		}
		refused := &http.Response{StatusCode: 401, Header: http.Header{}, Body: http.NoBody}
		if err := handler.Authorize(ctx, &http.Request{URL: address}, refused); err != nil {
			return nil, err
		}
		source, _ := handler.TokenSource(ctx)
		if source == nil {
			return nil, errors.New("no token source")
		}
		return source.Token()
	}
}

// scopes are those of the environment, or the one that every client has.
func scopes() []string {
	if scope := os.Getenv("SCOPE"); scope != "" {
		return strings.Fields(scope)
	}
	return []string{"messaging:view"}
}

func withClientCredentials() func() (*oauth2.Token, error) {
	settings := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     os.Getenv("TOKEN_URL"),
		Scopes:       scopes(),
	}
	switch os.Args[2] {
	case "ready":
		settings.AuthStyle = oauth2.AuthStyleInHeader
	case "key", "key-ready":
		settings.ClientID, settings.ClientSecret = "", ""
		settings.AuthStyle = oauth2.AuthStyleInParams
		settings.EndpointParams = url.Values{
			"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
			"client_assertion":      {os.Getenv("ASSERTION")},
		}
	}
	return settings.TokenSource(context.Background()).Token
}

// withPrometheus scrapes a target that keeps the token of each scrape.
func withPrometheus() func() (*oauth2.Token, error) {
	var seen string
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		seen = strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
	}))
	client, err := config.NewClientFromConfig(config.HTTPClientConfig{OAuth2: &config.OAuth2{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: config.Secret(os.Getenv("CLIENT_SECRET")),
		TokenURL:     os.Getenv("TOKEN_URL"),
		Scopes:       scopes(),
	}}, "interop")
	return func() (*oauth2.Token, error) {
		if err != nil {
			return nil, err
		}
		response, err := client.Get(target.URL)
		if err != nil {
			return nil, err
		}
		response.Body.Close()
		return &oauth2.Token{AccessToken: seen}, nil
	}
}

func main() {
	getToken := withClientCredentials()
	switch os.Args[1] {
	case "go-sdk":
		getToken = withMcp()
	case "prometheus":
		getToken = withPrometheus()
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer := map[string]any{"ok": true}
		if token, err := getToken(); err == nil {
			answer["token"] = token.AccessToken
		} else {
			answer = map[string]any{"ok": false, "why": fmt.Sprintf("%.200s", err.Error())}
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}
