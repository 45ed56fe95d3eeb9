// Command verify-token verifies an access token with go-oidc.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

type claims struct {
	ClientID          string `json:"client_id"`
	Scope             string `json:"scope"`
	ServiceTrunkGroup string `json:"service_trunk_group"`
}

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	// Made once: it reads the discovery document, keeps the keys, and fetches them again when a
	// token has a key that it lacks.
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	// To go-oidc the audience is the client of an ID token.
	verifier := provider.VerifierContext(ctx, &oidc.Config{
		ClientID:             os.Getenv("AUDIENCE"),
		SupportedSigningAlgs: []string{oidc.RS256},
	})

	found, err := verify(ctx, verifier, os.Getenv("ACCESS_TOKEN"))
	if err != nil {
		log.Fatalf("refused: %v", err)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}

func verify(ctx context.Context, verifier *oidc.IDTokenVerifier, token string) (*claims, error) {
	verified, err := verifier.Verify(ctx, token)
	if err != nil {
		return nil, err
	}
	// go-oidc does not look at the type. The header is signed, so that it can be trusted here.
	if typ := typeOf(token); !strings.EqualFold(typ, "at+jwt") {
		return nil, fmt.Errorf("typ is %q, not at+jwt", typ)
	}
	var found claims
	if err := verified.Claims(&found); err != nil {
		return nil, err
	}
	if found.ClientID == "" {
		return nil, errors.New("client_id is missing")
	}
	return &found, nil
}

func typeOf(token string) string {
	var header struct {
		Typ string `json:"typ"`
	}
	encoded, _, _ := strings.Cut(token, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || json.Unmarshal(decoded, &header) != nil {
		return ""
	}
	return header.Typ
}
