// Gets tokens with clientcredentials: one for each line that it reads. Writes {"ok": ..., "token": ...}.
// `default` is the library as it comes; `ready` has the lines that this service requires.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     os.Getenv("TOKEN_URL"),
		Scopes:       []string{"messaging:view"},
	}
	if os.Args[2] == "ready" {
		config.AuthStyle = oauth2.AuthStyleInHeader
	}
	tokens := config.TokenSource(context.Background())
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		answer := map[string]any{"ok": true}
		if token, err := tokens.Token(); err == nil {
			answer["token"] = token.AccessToken
		} else {
			answer = map[string]any{"ok": false, "why": fmt.Sprintf("%.200s", err.Error())}
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}
