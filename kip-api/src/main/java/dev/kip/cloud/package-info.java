/** The cloud as one asynchronous port: {@link dev.kip.cloud.CloudApi}. */
@NullMarked
package dev.kip.cloud;

import org.jspecify.annotations.NullMarked;
