//go:build tools

// Package tools pins the kubelet that real-parts/corpus runs beside the one of real-parts/kubernetes.
package tools

import _ "k8s.io/kubernetes/cmd/kubelet"
