package dev.kip.checkpointer.lint;

import com.google.common.collect.ImmutableList;
import dev.kip.yaml.YamlProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Reads what the command line names: files, directories as kubelet reads them, {@code -} for standard input. */
final class Inputs {

    private static final String STDIN = "<stdin>";

    private Inputs() {}

    /** @throws LintFailure naming the file and the line */
    static ImmutableList<PodDocument> read(List<String> names, InputStream stdin) {
        ImmutableList.Builder<PodDocument> pods = ImmutableList.builder();
        for (String name : names) {
            if (name.equals("-")) {
                pods.addAll(pods(STDIN, text(stdin)));
            } else if (Files.isDirectory(Path.of(name))) {
                directory(Path.of(name)).forEach(file -> pods.addAll(pods(file.toString(), text(file))));
            } else {
                pods.addAll(pods(name, text(Path.of(name))));
            }
        }
        return pods.build();
    }

    private static ImmutableList<PodDocument> pods(String file, String text) {
        try {
            return PodDocuments.read(file, text);
        } catch (YamlProblem e) {
            throw new LintFailure(String.valueOf(e.getMessage()));
        }
    }

    /** Not what begins with a dot, nor what is in directories below: kubelet looks at neither. */
    private static ImmutableList<Path> directory(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            ImmutableList<Path> files = entries.filter(Files::isRegularFile)
                    .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
                    .sorted()
                    .collect(ImmutableList.toImmutableList());
            if (files.isEmpty()) {
                throw new LintFailure(directory + ": there is no file in it that kubelet would read");
            }
            return files;
        } catch (IOException e) {
            throw new LintFailure(directory + ": cannot be listed: " + e.getMessage());
        }
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new LintFailure(file + ": no such file");
        } catch (MalformedInputException e) {
            throw new LintFailure(file + ": is not text in UTF-8");
        } catch (IOException e) {
            throw new LintFailure(file + ": cannot be read: " + e.getMessage());
        }
    }

    private static String text(InputStream stdin) {
        try {
            return new String(stdin.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new LintFailure(STDIN + ": cannot be read: " + e.getMessage());
        }
    }
}
