package dev.kip.controller.effects;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.cloud.CloudApi;
import dev.kip.cloud.CloudApi.InstanceFacts;
import dev.kip.cloud.CloudApi.InstancePage;
import dev.kip.cloud.CloudApi.InstanceQuery;
import dev.kip.cloud.CloudApi.InstanceState;
import dev.kip.cloud.CloudApi.LaunchRequest;
import dev.kip.cloud.CloudApi.TemplateContent;
import dev.kip.cloud.CloudApi.TemplateVersion;
import dev.kip.cloud.CloudError;
import dev.kip.controller.calls.Calls;
import dev.kip.controller.ownership.Mandate;
import dev.kip.loop.Loop;
import java.util.function.Consumer;

/** Calls the cloud. Retries nothing. Confined to the loop. */
public final class CloudEffects {

    private static final int MOST_PAGES = 1_000;

    private final Loop loop;
    private final CloudApi cloud;
    private final Calls calls;

    public CloudEffects(Loop loop, CloudApi cloud, Calls calls) {
        this.loop = loop;
        this.cloud = cloud;
        this.calls = calls;
    }

    public void launch(
            LaunchRequest request,
            Mandate mandate,
            Runnable expired,
            Consumer<ImmutableList<InstanceFacts>> launched,
            Consumer<CloudError> failed) {
        if (mandate.expired(loop.nanos())) {
            expired.run();
            return;
        }
        calls.on("cloud", "launch", cloud.launch(request), launched, failed);
    }

    public void createTemplate(
            TemplateContent content,
            Mandate mandate,
            Runnable expired,
            Consumer<TemplateVersion> created,
            Consumer<CloudError> failed) {
        if (mandate.expired(loop.nanos())) {
            expired.run();
            return;
        }
        calls.on("cloud", "createTemplate", cloud.createTemplate(content), created, failed);
    }

    public void createTemplateVersion(
            TemplateContent content,
            Mandate mandate,
            Runnable expired,
            Consumer<TemplateVersion> created,
            Consumer<CloudError> failed) {
        if (mandate.expired(loop.nanos())) {
            expired.run();
            return;
        }
        calls.on("cloud", "createTemplateVersion", cloud.createTemplateVersion(content), created, failed);
    }

    public void terminate(
            ImmutableList<String> ids,
            Mandate mandate,
            Runnable expired,
            Consumer<ImmutableMap<String, InstanceState>> accepted,
            Consumer<CloudError> failed) {
        if (mandate.expired(loop.nanos())) {
            expired.run();
            return;
        }
        calls.on("cloud", "terminate", cloud.terminate(ids), accepted, failed);
    }

    /** Every page; the whole list or an error. */
    public void describeAll(
            ImmutableMap<String, String> tags,
            Consumer<ImmutableList<InstanceFacts>> all,
            Consumer<CloudError> failed) {
        new Pages(tags, all, failed).next("");
    }

    /**
     * One instance, whatever its tags say.
     *
     * @param unknown the cloud knows no such instance
     */
    public void describeOne(String instanceId, Consumer<InstanceFacts> seen, Runnable unknown) {
        describeOne(instanceId, seen, unknown, error -> {});
    }

    /** @param failed nothing is known of it */
    public void describeOne(
            String instanceId, Consumer<InstanceFacts> seen, Runnable unknown, Consumer<CloudError> failed) {
        calls.on(
                "cloud",
                "describe",
                cloud.describe(InstanceQuery.ofIds(ImmutableList.of(instanceId))),
                page -> page.instances().stream().findFirst().ifPresentOrElse(seen, unknown),
                error -> {
                    if (error instanceof CloudError.NotFound) {
                        unknown.run();
                    } else {
                        failed.accept(error);
                    }
                });
    }

    private final class Pages {

        private final ImmutableMap<String, String> tags;
        private final Consumer<ImmutableList<InstanceFacts>> all;
        private final Consumer<CloudError> failed;
        private final ImmutableList.Builder<InstanceFacts> instances = ImmutableList.builder();
        private int pages;

        Pages(
                ImmutableMap<String, String> tags,
                Consumer<ImmutableList<InstanceFacts>> all,
                Consumer<CloudError> failed) {
            this.tags = tags;
            this.all = all;
            this.failed = failed;
        }

        void next(String token) {
            calls.on("cloud", "describe", cloud.describe(InstanceQuery.ofTags(tags, token)), this::take, failed);
        }

        private void take(InstancePage page) {
            instances.addAll(page.instances());
            if (page.nextToken().isEmpty()) {
                all.accept(instances.build());
            } else if (++pages >= MOST_PAGES) {
                failed.accept(new CloudError.Failing("describe: the list does not end"));
            } else {
                next(page.nextToken());
            }
        }
    }
}
