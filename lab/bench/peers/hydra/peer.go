//go:build peer

// Package peer pins the server that `npm run bench:peers` measures. Only the benchmark builds it.
package peer

import _ "github.com/ory/hydra/v2"
