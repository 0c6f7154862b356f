package dev.kip.sim.embedded;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;

/** Files that only their owner may read, whole or not at all. */
public final class PrivateFiles {

    private PrivateFiles() {}

    public static void makeFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, mode("rwx------"));
        }
    }

    /** Opens a file to be locked, making it if need be. */
    static FileChannel openLock(Path file) throws IOException {
        return FileChannel.open(
                file, EnumSet.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), mode("rw-------"));
    }

    public static void write(Path file, String text) throws IOException {
        Path whole = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(whole);
        Files.createFile(whole, mode("rw-------"));
        Files.writeString(whole, text);
        Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** As {@link #write}, and after a power cut too either the old or the new is there. */
    static void writeDurably(Path file, byte[] content) throws IOException {
        Path whole = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(whole);
        try (FileChannel channel = FileChannel.open(
                whole, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode("rw-------"))) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static FileAttribute<?>[] mode(String permissions) {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
