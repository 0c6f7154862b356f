/** The controller process and its command line. */
@NullMarked
package dev.kip.controller;

import org.jspecify.annotations.NullMarked;
