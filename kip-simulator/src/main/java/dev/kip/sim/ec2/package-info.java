/** A simulated EC2 that does what EC2 documents, behind the EC2 Query protocol: {@link dev.kip.sim.ec2.SimEc2}. */
@NullMarked
package dev.kip.sim.ec2;

import org.jspecify.annotations.NullMarked;
