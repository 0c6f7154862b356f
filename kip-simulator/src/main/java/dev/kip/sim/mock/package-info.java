/** The world mock: fabric8's KubernetesMockServer with a dispatcher that knows what stories need beside CRUD. */
@org.jspecify.annotations.NullMarked
package dev.kip.sim.mock;
