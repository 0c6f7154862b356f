package dev.kip.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import org.slf4j.LoggerFactory;

/** Sets up the log: to standard error, as lines for people or JSON objects for machines. */
public final class Logging {

    /** How a line looks. */
    public enum Format {
        json,
        text
    }

    private Logging() {}

    /** Replaces whatever was set up before. */
    public static void configure(Format format, org.slf4j.event.Level level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(format == Format.json ? json(context) : text(context));
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        root.setLevel(Level.WARN);
        // At each connection to a unix socket: that such a socket keeps nothing alive.
        context.getLogger("io.netty.bootstrap.Bootstrap").setLevel(Level.ERROR);
        // Where a machine has no network but its own.
        context.getLogger("io.netty.util.internal.MacAddressUtil").setLevel(Level.ERROR);
        context.getLogger("dev.kip").setLevel(Level.convertAnSLF4JLevel(level));
    }

    private static Encoder<ILoggingEvent> json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithFormattedMessage(true);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithContext(false);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.start();
        return encoder;
    }

    private static Encoder<ILoggingEvent> text(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX, UTC} %-5level %logger{0} %msg%n%ex");
        encoder.start();
        return encoder;
    }
}
