package dev.kip.checkpointer.agent;

import dev.kip.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Which instance this is: cloud-init has written it down, else EC2's metadata service is asked (IMDSv2). Blocks. */
final class Surroundings {

    /** cloud-init's, written anew at every boot. */
    static final Path CLOUD_INIT = Path.of("/var/lib/cloud/data/instance-id");

    static final URI METADATA = URI.create("http://169.254.169.254");

    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final String TTL = "60";

    private final Disk disk;
    private final Path cloudInit;
    private final URI metadata;

    Surroundings(Disk disk, Path cloudInit, URI metadata) {
        this.disk = disk;
        this.cloudInit = cloudInit;
        this.metadata = metadata;
    }

    /** @throws IOException if nobody knows */
    String instanceId() throws IOException {
        Optional<String> written = disk.read(cloudInit)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8).strip())
                .filter(id -> id.matches("i-[0-9a-f]+"));
        return written.isPresent() ? written.get() : ask("instance-id");
    }

    /** The private address. @throws IOException if the metadata service does not answer */
    String address() throws IOException {
        return ask("local-ipv4");
    }

    private String ask(String what) throws IOException {
        String token = request("PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds", TTL);
        return request("GET", "/latest/meta-data/" + what, "X-aws-ec2-metadata-token", token)
                .strip();
    }

    private String request(String method, String path, String header, String value) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) metadata.resolve(path).toURL().openConnection();
        connection.setRequestMethod(method);
        connection.setRequestProperty(header, value);
        connection.setConnectTimeout((int) TIMEOUT.toMillis());
        connection.setReadTimeout((int) TIMEOUT.toMillis());
        if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw new IOException(
                    "the instance's metadata service answers " + connection.getResponseCode() + " to " + path);
        }
        try (InputStream body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
