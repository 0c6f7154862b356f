package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import dev.kip.controller.config.Problem;
import dev.kip.controller.config.ProviderConfig;
import dev.kip.controller.config.ProviderYaml;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** provider.yaml on disk. */
final class ConfigFile {

    private ConfigFile() {}

    /** @throws CliFailure telling everything that is wrong with it */
    static ProviderConfig read(Path file) {
        return ProviderYaml.read(file.toString(), text(file)).fold(config -> config, problems -> {
            throw refused(problems);
        });
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new CliFailure(
                    CliFailure.CONFIGURATION,
                    file + ": there is no such file. To begin one: kip config print-default > provider.yaml");
        } catch (CharacterCodingException e) {
            throw new CliFailure(CliFailure.CONFIGURATION, file + ": is no text in UTF-8.");
        } catch (IOException e) {
            throw new CliFailure(CliFailure.CONFIGURATION, file + ": cannot be read: " + e.getMessage());
        }
    }

    static CliFailure refused(ImmutableList<Problem> problems) {
        return new CliFailure(
                CliFailure.CONFIGURATION, problems.stream().map(Problem::text).collect(Collectors.joining("\n")));
    }
}
