package dev.kip.sim;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** moto as a process: AWS by people who are not us. */
public final class Moto implements AutoCloseable {

    private final Process process;
    private final String url;

    private Moto(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /** Skips the test if {@code moto_server} is not there. */
    public static Moto start() throws IOException, InterruptedException {
        Optional<Path> program = Programs.find("moto_server");
        assumeTrue(program.isPresent(), "skipped: moto_server is not on PATH");
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Process process = new ProcessBuilder(
                        program.orElseThrow().toString(), "-H", "127.0.0.1", "-p", String.valueOf(port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        for (int tries = 0; tries < 300 && !listens(port); tries++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return new Moto(process, "http://127.0.0.1:" + port);
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public String url() {
        return url;
    }

    /** Everything that was made is gone. */
    public void forget() throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(URI.create(url + "/moto-api/reset")).POST(HttpRequest.BodyPublishers.noBody()));
    }

    public void createBucket(String name) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(URI.create(url + "/" + name)).PUT(HttpRequest.BodyPublishers.noBody()));
    }

    /** With the one key attribute {@code key}. */
    public void createTable(String name) throws IOException, InterruptedException {
        String table = """
                {"TableName":"%s","AttributeDefinitions":[{"AttributeName":"key","AttributeType":"S"}],
                 "KeySchema":[{"AttributeName":"key","KeyType":"HASH"}],"BillingMode":"PAY_PER_REQUEST"}""";
        send(HttpRequest.newBuilder(URI.create(url + "/"))
                .header("X-Amz-Target", "DynamoDB_20120810.CreateTable")
                .header("Content-Type", "application/x-amz-json-1.0")
                .header(
                        "Authorization",
                        "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20300101/us-east-1/dynamodb/aws4_request")
                .POST(HttpRequest.BodyPublishers.ofString(table.formatted(name))));
    }

    private static void send(HttpRequest.Builder request) throws IOException, InterruptedException {
        var answer = HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException("moto: " + answer.statusCode() + " " + answer.body());
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
