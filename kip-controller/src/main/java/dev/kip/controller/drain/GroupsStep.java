package dev.kip.controller.drain;

import com.google.common.collect.ImmutableList;
import dev.kip.cloud.CloudApi.GroupFacts;

/** Deletes the security group, which all virtual nodes share: it goes with the last. */
final class GroupsStep implements Step {

    private final Room room;

    GroupsStep(Room room) {
        this.room = room;
    }

    @Override
    public String name() {
        return "DeletingSecurityGroups";
    }

    @Override
    public void attempt(Scope scope, Verdict verdict) {
        if (!scope.last()) {
            verdict.done();
            return;
        }
        room.cloud()
                .securityGroups(
                        scope.tags(),
                        all -> deleteFirst(all, verdict),
                        error -> verdict.waiting("the security groups could not be listed: " + error.message()));
    }

    private void deleteFirst(ImmutableList<GroupFacts> all, Verdict verdict) {
        if (all.isEmpty()) {
            verdict.done();
            return;
        }
        GroupFacts group = all.get(0);
        room.cloud()
                .deleteSecurityGroup(
                        group.id(),
                        room.cloudMandate().get(),
                        () -> deleteFirst(all.subList(1, all.size()), verdict),
                        error -> verdict.waiting("security group " + group.name() + " (" + group.id()
                                + ") cannot be deleted yet: " + error.message()));
    }
}
