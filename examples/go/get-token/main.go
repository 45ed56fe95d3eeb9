// Command get-token calls the example API with a token that golang.org/x/oauth2 keeps and renews.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The next token is fetched this long before the old one expires: clocks differ and requests
// take time.
const refreshBefore = 2 * time.Minute

func main() {
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     os.Getenv("TOKEN_URL"),
		Scopes:       []string{"messaging:view"},
		// Left to itself the library tries Basic first, too, and then the body, which is refused.
		AuthStyle: oauth2.AuthStyleInHeader,
	}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient,
		&http.Client{Timeout: 10 * time.Second})
	// config.TokenSource has a cache of its own, which would renew only 10 s before expiry.
	source := oauth2.ReuseTokenSourceWithExpiry(nil, fetcher{ctx, config}, refreshBefore)
	client := oauth2.NewClient(ctx, source)

	url := os.Getenv("EXAMPLE_URL")
	for range 2 {
		response, err := client.Get(url)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Printf("GET %s %d\n", url, response.StatusCode)
	}
}

// fetcher asks for a new token each time.
type fetcher struct {
	ctx    context.Context
	config clientcredentials.Config
}

func (f fetcher) Token() (*oauth2.Token, error) { return f.config.Token(f.ctx) }
