package dev.kip.sim.cell;

import dev.kip.loop.Loop;
import dev.kip.loop.Offload;
import dev.kip.loop.Offload.Abandoned;
import dev.kip.outcome.Outcome;
import dev.kip.sim.ec2.InstanceListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DescribeInstancesResponse;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceAttributeName;
import software.amazon.awssdk.services.ec2.model.InstanceStateName;
import software.amazon.awssdk.services.ec2.model.Tag;

/**
 * Watches an EC2 that runs no machines, by listing its instances again and again, and tells which run and which ended.
 * Confined to the loop; requests are offloaded one by one.
 */
final class InstancePoll {

    private static final Logger LOG = LoggerFactory.getLogger(InstancePoll.class);
    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final int PER_PAGE = 1000;
    private static final String TEMPLATE_ID = "aws:ec2launchtemplate:id";
    private static final String TEMPLATE_VERSION = "aws:ec2launchtemplate:version";

    private final Loop loop;
    private final Offload offload;
    private final Ec2Client ec2;
    private final Duration every;
    private final InstanceListener listener;
    private final TreeSet<String> told = new TreeSet<>();
    private final TreeSet<String> asked = new TreeSet<>();
    private boolean failing;

    InstancePoll(Loop loop, Offload offload, Ec2Client ec2, Duration every, InstanceListener listener) {
        this.loop = loop;
        this.offload = offload;
        this.ec2 = ec2;
        this.every = every;
        this.listener = listener;
    }

    /** Begins, and goes on for as long as the loop does. */
    void start() {
        page("", new TreeMap<>());
    }

    private void page(String token, Map<String, Instance> running) {
        call(
                "ec2.DescribeInstances",
                () -> ec2.describeInstances(
                        token.isEmpty()
                                ? request -> request.maxResults(PER_PAGE)
                                : request -> request.maxResults(PER_PAGE).nextToken(token)),
                answer -> {
                    collect(answer, running);
                    String next = Optional.ofNullable(answer.nextToken()).orElse("");
                    if (next.isEmpty()) {
                        compare(running);
                        again();
                    } else {
                        page(next, running);
                    }
                },
                this::again);
    }

    private void again() {
        loop.after(every, this::start);
    }

    private static void collect(DescribeInstancesResponse answer, Map<String, Instance> running) {
        answer.reservations()
                .forEach(reservation -> reservation.instances().forEach(instance -> {
                    if (instance.state().name() == InstanceStateName.RUNNING && instance.privateIpAddress() != null) {
                        running.put(instance.instanceId(), instance);
                    }
                }));
    }

    private void compare(Map<String, Instance> running) {
        new TreeSet<>(told).stream().filter(id -> !running.containsKey(id)).forEach(id -> {
            told.remove(id);
            listener.ended(id);
        });
        running.forEach((id, instance) -> {
            if (!told.contains(id) && asked.add(id)) {
                readUserData(instance);
            }
        });
    }

    private void readUserData(Instance instance) {
        String id = instance.instanceId();
        call(
                "ec2.DescribeInstanceAttribute",
                () -> ec2.describeInstanceAttribute(
                        request -> request.instanceId(id).attribute(InstanceAttributeName.USER_DATA)),
                answer -> {
                    String encoded = answer.userData() == null
                            ? ""
                            : Optional.ofNullable(answer.userData().value()).orElse("");
                    if (encoded.isEmpty()) {
                        readTemplate(instance);
                    } else {
                        tell(instance, encoded);
                    }
                },
                () -> asked.remove(id));
    }

    /** Where the instance itself does not show what its template gave it. */
    private void readTemplate(Instance instance) {
        Optional<String> template = tag(instance, TEMPLATE_ID);
        if (template.isEmpty()) {
            tell(instance, "");
            return;
        }
        call(
                "ec2.DescribeLaunchTemplateVersions",
                () -> ec2.describeLaunchTemplateVersions(request -> request.launchTemplateId(template.get())
                        .versions(tag(instance, TEMPLATE_VERSION).orElse("$Latest"))),
                answer -> tell(
                        instance,
                        answer.launchTemplateVersions().stream()
                                .map(version -> version.launchTemplateData().userData())
                                .findFirst()
                                .orElse("")),
                () -> asked.remove(instance.instanceId()));
    }

    private static Optional<String> tag(Instance instance, String key) {
        return instance.tags().stream()
                .filter(tag -> tag.key().equals(key))
                .map(Tag::value)
                .findFirst();
    }

    private void tell(Instance instance, String encoded) {
        asked.remove(instance.instanceId());
        told.add(instance.instanceId());
        String plain;
        try {
            plain = new String(Base64.getMimeDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            LOG.warn("The user data of {} is not base64", instance.instanceId());
            plain = "";
        }
        listener.started(instance.instanceId(), instance.privateIpAddress(), plain);
    }

    private <T> void call(String name, Callable<T> request, Consumer<T> then, Runnable otherwise) {
        offload.call(name, DEADLINE, request)
                .thenAccept((Outcome<T, Abandoned> outcome) -> outcome.on(
                        answer -> {
                            if (failing) {
                                failing = false;
                                LOG.info("EC2 answers again");
                            }
                            then.accept(answer);
                        },
                        abandoned -> {
                            if (!failing) {
                                failing = true;
                                LOG.warn("EC2 does not answer, asking on: {}", abandoned);
                            }
                            otherwise.run();
                        }));
    }
}
