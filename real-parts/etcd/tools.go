//go:build tools

// Package tools pins the etcd that the real-parts tests run.
package tools

import _ "go.etcd.io/etcd/server/v3"
