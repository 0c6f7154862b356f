// Package suite runs the end-to-end tests that the virtual-kubelet project publishes for its providers.
package suite

import (
	"flag"
	"testing"

	"github.com/virtual-kubelet/virtual-kubelet/test/e2e"
)

var (
	kubeconfig = flag.String("kubeconfig", "", "of the cluster's admin")
	namespace  = flag.String("namespace", "default", "where the tests make their pods")
	node       = flag.String("node-name", "", "the virtual node")
)

func TestEndToEnd(t *testing.T) {
	e2e.NewEndToEndTestSuite(e2e.EndToEndTestSuiteConfig{
		Kubeconfig: *kubeconfig,
		Namespace:  *namespace,
		NodeName:   *node,
	}).Run(t)
}
