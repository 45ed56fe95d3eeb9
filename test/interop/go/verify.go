// Verifies tokens with one library. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	jwtmiddleware "github.com/auth0/go-jwt-middleware/v2/jwks"
	"github.com/auth0/go-jwt-middleware/v2/validator"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/golang-jwt/jwt/v5"
	"github.com/lestrrat-go/jwx/v3/jwa"
	"github.com/lestrrat-go/jwx/v3/jwk"
	"github.com/lestrrat-go/jwx/v3/jws"
	jwxt "github.com/lestrrat-go/jwx/v3/jwt"
)

type verify func(token string) error

var (
	ctx       = context.Background()
	algorithm = os.Args[2]
	issuer    = os.Getenv("ISSUER")
	audience  = os.Getenv("AUDIENCE")
	jwksURI   = os.Getenv("JWKS_URI")
)

func checkType(typ any) error {
	if typ != "at+jwt" {
		return fmt.Errorf("typ %v", typ)
	}
	return nil
}

func typeOf(token string) (any, error) {
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		return nil, err
	}
	return parsed.Header["typ"], nil
}

func withGoOIDC() (verify, error) {
	keys := oidc.NewRemoteKeySet(ctx, jwksURI)
	config := &oidc.Config{ClientID: audience, SupportedSigningAlgs: []string{algorithm}}
	verifier := oidc.NewVerifier(issuer, keys, config)
	return func(token string) error {
		typ, err := typeOf(token)
		if err != nil {
			return err
		}
		if err := checkType(typ); err != nil {
			return err
		}
		_, err = verifier.Verify(ctx, token)
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
		parsed, err := jwt.Parse(token, keys.Keyfunc, options...)
		if err != nil {
			return err
		}
		return checkType(parsed.Header["typ"])
	}, nil
}

func withJWX() (verify, error) {
	alg, known := jwa.LookupSignatureAlgorithm(algorithm)
	if !known {
		return nil, fmt.Errorf("unknown algorithm %s", algorithm)
	}
	_ = alg
	var keys jwk.Set
	return func(token string) error {
		if keys == nil {
			fetched, err := jwk.Fetch(ctx, jwksURI)
			if err != nil {
				return err
			}
			keys = fetched
		}
		message, err := jws.Parse([]byte(token))
		if err != nil {
			return err
		}
		typ, _ := message.Signatures()[0].ProtectedHeaders().Type()
		if err := checkType(typ); err != nil {
			return err
		}
		_, err = jwxt.Parse([]byte(token), jwxt.WithKeySet(keys), jwxt.WithIssuer(issuer),
			jwxt.WithAudience(audience), jwxt.WithRequiredClaim("exp"))
		return err
	}, nil
}

func withAuth0() (verify, error) {
	address, err := url.Parse(issuer)
	if err != nil {
		return nil, err
	}
	provider := jwtmiddleware.NewCachingProvider(address, 5*time.Minute)
	checker, err := validator.New(provider.KeyFunc, validator.SignatureAlgorithm(algorithm), issuer, []string{audience})
	if err != nil {
		return nil, err
	}
	return func(token string) error {
		typ, err := typeOf(token)
		if err != nil {
			return err
		}
		if err := checkType(typ); err != nil {
			return err
		}
		_, err = checker.ValidateToken(ctx, token)
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
