/** The cloud port on EC2, by the AWS SDK. */
@NullMarked
package dev.kip.cloud.aws;

import org.jspecify.annotations.NullMarked;
