package dev.kip.sim.faults;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.http.HttpCall;
import dev.kip.http.HttpService;
import dev.kip.sim.kernel.CallFaults.Call;
import dev.kip.sim.kernel.SimNetwork;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/** The watches that are open in a world, so that faults can reach into them. */
public final class Watches implements SimNetwork.Filter {

    private final Set<Open> open = new LinkedHashSet<>();

    @Override
    public void serve(Call call, HttpCall http, HttpService service) {
        if (!http.query().containsEntry("watch", "true")) {
            service.handle(http);
            return;
        }
        service.handle(new Passing(http) {
            @Override
            public ResponseStream stream(int status, ImmutableMap<String, String> headers) {
                Open watch = new Open(call, super.stream(status, headers));
                open.add(watch);
                watch.onClose(() -> open.remove(watch));
                return watch;
            }
        });
    }

    ImmutableList<Open> open(Predicate<Call> which) {
        return open.stream().filter(watch -> which.test(watch.call)).collect(ImmutableList.toImmutableList());
    }

    /** One watch, as the server writes it. */
    static final class Open implements HttpCall.ResponseStream {

        private final Call call;
        private final HttpCall.ResponseStream real;
        private boolean stalled;

        Open(Call call, HttpCall.ResponseStream real) {
            this.call = call;
            this.real = real;
        }

        /** Nothing comes through any more, and it does not end either. */
        void stall() {
            stalled = true;
        }

        /** Tells the client something that the server never said. */
        void tell(byte[] piece) {
            real.write(piece);
        }

        @Override
        public void write(byte[] piece) {
            if (!stalled) {
                real.write(piece);
            }
        }

        @Override
        public void end() {
            if (!stalled) {
                real.end();
            }
        }

        @Override
        public void abort() {
            real.abort();
        }

        @Override
        public void onClose(Runnable task) {
            real.onClose(task);
        }
    }
}
