/**
 * The simulated DynamoDB: tables of one text key with conditional writes, behind the HTTP surface of the real one. Made
 * by {@code new SimDynamoDb(loop, entropy)}, filled with tables by {@link dev.kip.sim.dynamodb.SimDynamoDb#createTable}.
 */
@NullMarked
package dev.kip.sim.dynamodb;

import org.jspecify.annotations.NullMarked;
