package dev.kip.controller.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "prices",
        description = "The table of on-demand prices.",
        mixinStandardHelpOptions = true,
        subcommands = {PricesRefreshCommand.class, CommandLine.HelpCommand.class})
final class PricesCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing required subcommand: refresh");
    }
}
