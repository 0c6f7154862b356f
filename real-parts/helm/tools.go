//go:build tools

// Package tools pins the helm that the real-parts tests run.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
