package dev.kip.sim.workloads;

import dev.kip.entropy.SecureEntropy;
import dev.kip.http.vertx.ServerBinding;
import dev.kip.http.vertx.VertxHttpServer;
import dev.kip.loop.system.SystemLoop;
import dev.kip.sim.apiserver.ApiServer;
import dev.kip.sim.apiserver.ApiServerSettings;
import java.util.concurrent.CountDownLatch;

/** Serves the API and its controllers with two played nodes on a port, to try a kubectl by hand. */
final class ServeCluster {

    private ServeCluster() {}

    public static void main(String[] arguments) throws Exception {
        SystemLoop loop = SystemLoop.start("cluster");
        CountDownLatch ready = new CountDownLatch(1);
        ApiServer[] server = new ApiServer[1];
        loop.post(() -> {
            SecureEntropy entropy = new SecureEntropy();
            server[0] = new ApiServer(loop, entropy, ApiServerSettings.DEFAULT);
            new Workloads(server[0].client(), loop, entropy).start();
            new PlayedKubelet(server[0].client(), loop, "node-a").start();
            new PlayedKubelet(server[0].client(), loop, "node-b").start();
            ready.countDown();
        });
        ready.await();
        VertxHttpServer http = VertxHttpServer.start(
                ServerBinding.plain("127.0.0.1", Integer.parseInt(arguments[0])), loop, server[0]);
        System.out.println("kubectl --server http://127.0.0.1:" + http.port());
        new CountDownLatch(1).await();
    }
}
