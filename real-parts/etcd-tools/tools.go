//go:build tools

// Package tools pins the programs by which the real-parts tests back up and restore an etcd.
package tools

import (
	_ "go.etcd.io/etcd/etcdctl/v3"
	_ "go.etcd.io/etcd/etcdutl/v3"
)
