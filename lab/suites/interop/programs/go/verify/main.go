// Verifies tokens with one library. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	jwtmiddleware "github.com/auth0/go-jwt-middleware/v2/jwks"
	"github.com/auth0/go-jwt-middleware/v2/validator"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/httprc/v3"
	"github.com/lestrrat-go/jwx/v3/jwk"
	jwxt "github.com/lestrrat-go/jwx/v3/jwt"
)

// registerLimit is far above the time of a fetch from this machine.
const registerLimit = 10 * time.Second

type verify func(token string) error

var (
	ctx       = context.Background()
	algorithm = os.Args[2]
	issuer    = os.Getenv("ISSUER")
	audience  = os.Getenv("AUDIENCE")
	jwksURI   = os.Getenv("JWKS_URI")
)

// checkType does what none of these libraries does.
func checkType(token string) error {
	text, _, _ := strings.Cut(token, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	var header struct{ Typ string }
	if err := json.Unmarshal(decoded, &header); err != nil {
		return err
	}
	if header.Typ != "at+jwt" {
		return fmt.Errorf("typ %q", header.Typ)
	}
	return nil
}

// refreshInterval is how long a library keeps the JWKS, if the run sets it.
func refreshInterval(otherwise time.Duration) time.Duration {
	if seconds, err := time.ParseDuration(os.Getenv("JWKS_REFRESH_SECONDS") + "s"); err == nil {
		return seconds
	}
	return otherwise
}

func withGoOIDC() (verify, error) {
	keys := oidc.NewRemoteKeySet(ctx, jwksURI)
	config := &oidc.Config{ClientID: audience, SupportedSigningAlgs: []string{algorithm}}
	verifier := oidc.NewVerifier(issuer, keys, config)
	return func(token string) error {
		_, err := verifier.Verify(ctx, token)
		return err
	}, nil
}

func withGolangJWT() (verify, error) {
	keys, err := keyfunc.NewDefaultCtx(ctx, []string{jwksURI})
	if err != nil {
		return nil, err
	}
	options := []jwt.ParserOption{
		jwt.WithValidMethods([]string{algorithm}), jwt.WithIssuer(issuer),
		jwt.WithAudience(audience), jwt.WithExpirationRequired(),
	}
	return func(token string) error {
		_, err := jwt.Parse(token, keys.Keyfunc, options...)
		return err
	}, nil
}

func withJWX() (verify, error) {
	cache, err := jwk.NewCache(ctx, httprc.NewClient())
	if err != nil {
		return nil, err
	}
	least := jwk.WithMinInterval(refreshInterval(httprc.DefaultMinInterval))
	most := jwk.WithMaxInterval(refreshInterval(httprc.DefaultMaxInterval))
	// Register waits until it has a set that it can read.
	limited, cancel := context.WithTimeout(ctx, registerLimit)
	defer cancel()
	if err := cache.Register(limited, jwksURI, least, most); err != nil {
		return nil, err
	}
	keys, err := cache.CachedSet(jwksURI)
	if err != nil {
		return nil, err
	}
	return func(token string) error {
		_, err := jwxt.Parse([]byte(token), jwxt.WithKeySet(keys), jwxt.WithIssuer(issuer),
			jwxt.WithAudience(audience), jwxt.WithRequiredClaim("exp"))
		return err
	}, nil
}

func withAuth0() (verify, error) {
	address, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	provider := jwtmiddleware.NewCachingProvider(address, refreshInterval(5*time.Minute))
	signed := validator.SignatureAlgorithm(algorithm)
	checker, err := validator.New(provider.KeyFunc, signed, issuer, []string{audience})
	if err != nil {
		return nil, err
	}
	return func(token string) error {
		_, err := checker.ValidateToken(ctx, token)
		return err
	}, nil
}

var factories = map[string]func() (verify, error){
	"go-oidc":           withGoOIDC,
	"golang-jwt":        withGolangJWT,
	"lestrrat-jwx":      withJWX,
	"go-jwt-middleware": withAuth0,
}

func main() {
	factory, known := factories[os.Args[1]]
	if !known {
		panic(errors.New("unknown library " + os.Args[1]))
	}
	var check verify
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 64*1024), 64*1024)
	for lines.Scan() {
		var request struct{ Token string }
		err := json.Unmarshal(lines.Bytes(), &request)
		if err == nil {
			err = checkType(request.Token)
		}
		if err == nil && check == nil {
			check, err = factory()
		}
		if err == nil {
			err = check(request.Token)
		}
		answer := map[string]any{"ok": err == nil}
		if err != nil {
			answer["why"] = fmt.Sprintf("%.200s", err.Error())
		}
		text, _ := json.Marshal(answer)
		fmt.Println(string(text))
	}
}
