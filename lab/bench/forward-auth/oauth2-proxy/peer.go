//go:build peer

// Package peer pins the proxy that forward-auth is measured next to. Only the benchmark builds it.
package peer

import _ "github.com/oauth2-proxy/oauth2-proxy/v7"
