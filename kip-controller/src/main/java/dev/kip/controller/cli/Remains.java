package dev.kip.controller.cli;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.AnchorStore;
import dev.kip.cloud.AnchorStore.Reading;
import dev.kip.cloud.CloudApi.GroupFacts;
import dev.kip.cloud.CloudApi.GroupPage;
import dev.kip.cloud.CloudApi.InterfacePage;
import dev.kip.cloud.CloudApi.ResourceQuery;
import dev.kip.cloud.CloudApi.TemplateFacts;
import dev.kip.cloud.CloudApi.VolumePage;
import dev.kip.cloud.CloudError;
import dev.kip.controller.launch.Tags;
import dev.kip.controller.ownership.AnchorKeys;
import dev.kip.controller.ownership.Identity;
import dev.kip.outcome.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an installation leaves besides instances, taken down once its cluster is gone: launch templates, security groups,
 * the anchor's objects. Volumes and network interfaces go with their instances; what of them stays is told.
 */
final class Remains {

    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final int TRIES = 36;

    private final Session session;
    private final String id;
    private final ImmutableMap<String, String> tags;

    Remains(Session session, String installationId) {
        this.session = session;
        this.id = installationId;
        this.tags = ImmutableMap.of(Tags.INSTALLATION, installationId);
    }

    /** Names of what there is besides instances, each with what it is. */
    ImmutableList<String> list(Gathering gathering) {
        List<String> all = new ArrayList<>();
        gathering
                .templates(tags)
                .ifPresent(found -> found.forEach(
                        template -> all.add("launch template " + template.name() + ", " + template.templateId())));
        groups().forEach(group -> all.add("security group " + group.name() + ", " + group.id()));
        all.addAll(attached());
        session.ways()
                .anchors()
                .ifPresent(store -> Owner.keys(session, store, AnchorKeys.INSTALLATIONS + id + "/")
                        .forEach(key -> all.add("anchor object " + key)));
        return ImmutableList.copyOf(all);
    }

    /** @return what could not be taken down, and why */
    ImmutableList<String> takeDown(Gathering gathering, Optional<Identity> identity) {
        List<String> left = new ArrayList<>();
        for (TemplateFacts template : gathering.templates(tags).orElse(ImmutableList.of())) {
            Outcome<Boolean, CloudError> answer =
                    session.ask("launch templates", () -> session.cloud().deleteTemplate(template.templateId()));
            answer.error()
                    .filter(error -> !(error instanceof CloudError.NotFound))
                    .ifPresent(error -> left.add("launch template " + template.name() + ": " + error.message()));
            session.say("launch template " + template.name() + " deleted");
        }
        ImmutableList<String> attached = attached();
        for (int i = 0; i < TRIES && !attached.isEmpty(); i++) {
            session.say("waiting for " + String.join(", ", attached));
            session.pause(PAUSE);
            attached = attached();
        }
        left.addAll(attached);
        groups().forEach(group -> delete(group).ifPresent(left::add));
        if (left.isEmpty()) {
            session.ways().anchors().ifPresent(store -> left.addAll(forget(store, identity)));
        }
        return ImmutableList.copyOf(left);
    }

    private Optional<String> delete(GroupFacts group) {
        Optional<CloudError> error = Optional.empty();
        for (int i = 0; i < TRIES; i++) {
            error = session.ask("security groups", () -> session.cloud().deleteSecurityGroup(group.id()))
                    .error()
                    .filter(why -> !(why instanceof CloudError.NotFound));
            if (error.isEmpty()) {
                session.say("security group " + group.name() + " deleted");
                return Optional.empty();
            }
            session.pause(PAUSE);
        }
        return error.map(why -> "security group " + group.name() + ": " + why.message());
    }

    /** Pointers first, the identity last: while it is there, the rest can be found again. */
    private List<String> forget(AnchorStore store, Optional<Identity> identity) {
        List<String> keys = new ArrayList<>();
        String shards = AnchorKeys.shards(id);
        ImmutableList<String> own = Owner.keys(session, store, AnchorKeys.INSTALLATIONS + id + "/");
        identity.ifPresent(known -> {
            keys.add(AnchorKeys.byCluster(known.clusterUid(), known.installation()));
            own.stream()
                    .filter(key -> key.startsWith(shards))
                    .forEach(key -> keys.add(AnchorKeys.byName(known.installation(), key.substring(shards.length()))));
        });
        own.stream().filter(key -> !key.equals(AnchorKeys.identity(id))).forEach(keys::add);
        keys.add(AnchorKeys.identity(id));
        List<String> left = new ArrayList<>();
        for (String key : keys) {
            Reading reading = Owner.read(session, store, key);
            boolean pointer = !key.startsWith(AnchorKeys.INSTALLATIONS);
            reading.object()
                    .filter(object -> !pointer || object.content().strip().equals(id))
                    .flatMap(object -> session.ask("the anchor", () -> store.delete(key, object.version()))
                            .error()
                            .filter(error -> !(error instanceof CloudError.NotFound)))
                    .ifPresent(error -> left.add("anchor object " + key + ": " + error.message()));
        }
        return left;
    }

    private ImmutableList<GroupFacts> groups() {
        ImmutableList.Builder<GroupFacts> all = ImmutableList.builder();
        String token = "";
        do {
            ResourceQuery query = ResourceQuery.ofTags(tags, token);
            Outcome<GroupPage, CloudError> answer =
                    session.ask("security groups", () -> session.cloud().securityGroups(query));
            answer.value().ifPresent(page -> all.addAll(page.groups()));
            token = answer.value().map(GroupPage::nextToken).orElse("");
        } while (!token.isEmpty());
        return all.build();
    }

    /** Volumes and network interfaces. */
    private ImmutableList<String> attached() {
        ImmutableList.Builder<String> all = ImmutableList.builder();
        ResourceQuery query = ResourceQuery.ofTags(tags, "");
        Outcome<VolumePage, CloudError> volumes =
                session.ask("volumes", () -> session.cloud().volumes(query));
        volumes.value()
                .ifPresent(page -> page.volumes()
                        .forEach(volume -> all.add("volume " + volume.id() + " (" + volume.state() + ")")));
        Outcome<InterfacePage, CloudError> interfaces =
                session.ask("network interfaces", () -> session.cloud().networkInterfaces(query));
        interfaces
                .value()
                .ifPresent(page -> page.interfaces()
                        .forEach(one -> all.add("network interface " + one.id() + " (" + one.state() + ")")));
        return all.build();
    }
}
