/** What a call at a port came to: a value, or an error that is part of the contract. */
@NullMarked
package dev.kip.outcome;

import org.jspecify.annotations.NullMarked;
