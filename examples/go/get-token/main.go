// Command get-token calls the example API with a token that is kept until shortly before it expires.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// The next token is requested this long before the old one expires: clocks differ and requests
// take time.
const renewBefore = time.Minute

// api calls an API with a token that all of its callers share.
type api struct {
	config clientcredentials.Config
	http   *http.Client
	mutex  sync.Mutex
	kept   *oauth2.Token
}

func newAPI() *api {
	return &api{
		http: &http.Client{Timeout: 10 * time.Second},
		config: clientcredentials.Config{
			ClientID:     os.Getenv("CLIENT_ID"),
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			TokenURL:     os.Getenv("TOKEN_URL"),
			Scopes:       []string{"messaging:view"},
			// Left to itself the library tries Basic first, too, and then the body, which is refused.
			AuthStyle: oauth2.AuthStyleInHeader,
		},
	}
}

// token lets callers that come at once share one request. The library's own cache cannot drop a
// token that an API refused.
func (a *api) token(refused string) (string, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.kept == nil || a.kept.AccessToken == refused || time.Until(a.kept.Expiry) <= renewBefore {
		token, err := a.requestToken()
		if err != nil {
			return "", err
		}
		a.kept = token
	}
	return a.kept.AccessToken, nil
}

// requestToken waits once for as long as Retry-After of a 429 or 503 says. Each other response is
// final.
func (a *api) requestToken() (*oauth2.Token, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, a.http)
	token, err := a.config.Token(ctx)
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return token, err
	}
	if status := refused.Response.StatusCode; status != 429 && status != 503 {
		return nil, err
	}
	seconds, err := strconv.Atoi(refused.Response.Header.Get("Retry-After"))
	if err != nil {
		seconds = 1
	}
	time.Sleep(time.Duration(seconds) * time.Second)
	return a.config.Token(ctx)
}

// get calls an API with the token, and once more with a new one after 401.
func (a *api) get(url string) (*http.Response, error) {
	token, err := a.token("")
	if err != nil {
		return nil, err
	}
	response, err := a.getWith(token, url)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	response.Body.Close()
	if token, err = a.token(token); err != nil {
		return nil, err
	}
	return a.getWith(token, url)
}

func (a *api) getWith(token, url string) (*http.Response, error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return a.http.Do(request)
}

func main() {
	api, url := newAPI(), os.Getenv("EXAMPLE_URL")
	for range 2 {
		response, err := api.get(url)
		if err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		fmt.Printf("GET %s %d\n", url, response.StatusCode)
	}
}
