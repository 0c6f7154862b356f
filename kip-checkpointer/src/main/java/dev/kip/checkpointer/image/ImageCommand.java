package dev.kip.checkpointer.image;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

@Command(
        name = "image",
        description = "Images of cells.",
        mixinStandardHelpOptions = true,
        subcommands = {ImageCheckCommand.class, HelpCommand.class})
public final class ImageCommand {}
