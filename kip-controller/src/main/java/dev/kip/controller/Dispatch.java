package dev.kip.controller;

import dev.kip.cell.CellError;
import dev.kip.controller.cells.CellFact;
import dev.kip.controller.cells.CellFacts;
import dev.kip.controller.cells.Errand;
import dev.kip.controller.cells.Intent;
import dev.kip.controller.cells.PodCells;
import dev.kip.controller.effects.CellEffects;
import dev.kip.controller.effects.KubeEffects;
import dev.kip.controller.effects.RequiredObjects;
import dev.kip.controller.events.ObjectEvents;
import dev.kip.controller.events.ObjectEvents.Subject;
import dev.kip.controller.launch.LaunchDesk;
import dev.kip.controller.launch.Problem;
import dev.kip.controller.launch.Terminations;
import dev.kip.controller.ownership.Adoption;
import dev.kip.controller.ownership.InstanceWatch;
import dev.kip.controller.ownership.Mandates;
import dev.kip.controller.store.PodFacts;
import dev.kip.loop.Loop;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Takes intents to the rooms that carry them out, and their answers back. Confined to the loop. */
final class Dispatch implements PodCells.Hands {

    private static final Problem NOT_NOW = new Problem(
            "MayNotLaunch",
            "lease or anchor could not be renewed in time: until they are, another controller may have taken over");
    private static final Duration NOT_NOW_PAUSE = Duration.ofSeconds(5);

    /** A pod whose config map comes late starts soon after it. */
    private static final Duration MISSING_PAUSE = Duration.ofSeconds(10);

    private final Loop loop;
    private final ControllerListener listener;
    private final ObjectEvents events;
    private final Mandates mandates;
    private final KubeEffects kubeEffects;
    private final CellEffects cellEffects;
    private final RequiredObjects required;
    private final Terminations terminations;
    private final LongConsumer takenOrders;
    private Optional<Rooms> rooms = Optional.empty();

    /** Those that need this one to be made. */
    record Rooms(PodCells cells, LaunchDesk launches, Adoption adoption, InstanceWatch instances) {}

    /** @param takenOrders told the highest epoch that a cell has taken orders of */
    Dispatch(
            Loop loop,
            ControllerListener listener,
            ObjectEvents events,
            Mandates mandates,
            KubeEffects kubeEffects,
            CellEffects cellEffects,
            RequiredObjects required,
            Terminations terminations,
            LongConsumer takenOrders) {
        this.loop = loop;
        this.listener = listener;
        this.events = events;
        this.mandates = mandates;
        this.kubeEffects = kubeEffects;
        this.cellEffects = cellEffects;
        this.required = required;
        this.terminations = terminations;
        this.takenOrders = takenOrders;
    }

    /** Called once, before anything is decided. */
    void connect(Rooms all) {
        rooms = Optional.of(all);
    }

    private Rooms rooms() {
        return rooms.orElseThrow(() -> new IllegalStateException("nothing is decided before all rooms are there"));
    }

    @Override
    public void carryOut(CellFacts cell, Intent intent) {
        String uid = cell.podUid();
        Consumer<CellFact> fact = answer -> learn(uid, answer);
        if (intent instanceof Intent.AskForInstance ask) {
            required.check(ask.pod(), missing -> launchUnless(missing, ask));
        } else if (intent instanceof Intent.Decline decline) {
            rooms().launches().decline(cell, decline.batch());
        } else if (intent instanceof Intent.Explain explain) {
            events.tell(
                    Subject.pod(explain.pod()),
                    true,
                    explain.problem().reason(),
                    explain.problem().message());
            kubeEffects.explain(explain, mandates.kube(), fact);
        } else if (intent instanceof Intent.BindCell bind) {
            kubeEffects.bind(bind, mandates.kube(), answer -> bound(bind, answer, fact));
        } else if (intent instanceof Intent.WatchCell watch) {
            cellEffects.watch(watch, fact);
        } else if (intent instanceof Intent.GrantPod grant) {
            cellEffects.grant(grant, mandates.cell(), fact);
        } else if (intent instanceof Intent.EndPod end) {
            cellEffects.end(end, mandates.cell(), fact);
        } else if (intent instanceof Intent.PatchPodStatus patch) {
            kubeEffects.patchStatus(patch, mandates.kube(), fact);
        } else if (intent instanceof Intent.FailPod fail) {
            events.tell(
                    Subject.pod(fail.pod()),
                    true,
                    fail.problem().reason(),
                    fail.problem().message());
            kubeEffects.fail(fail, mandates.kube(), fact);
        } else if (intent instanceof Intent.RemovePod remove) {
            kubeEffects.removePod(remove, mandates.kube(), fact);
        } else if (intent instanceof Intent.RemoveCell remove) {
            kubeEffects.removeCell(remove, mandates.kube(), fact);
        } else if (intent instanceof Intent.TerminateInstance terminate) {
            Runnable end = () -> terminations.end(terminate.instanceId(), ending(terminate.instanceId(), fact));
            terminate.absent().ifPresentOrElse(pod -> kubeEffects.confirmAbsent(pod, uid, end, fact), end);
        } else if (intent instanceof Intent.Tell tell) {
            events.tell(Subject.pod(tell.pod()), tell.warning(), tell.reason(), tell.message());
        }
    }

    private void launchUnless(Optional<Problem> missing, Intent.AskForInstance ask) {
        if (missing.isPresent()) {
            rooms().cells().learn(ask.pod().uid(), new CellFact.NotLaunched(missing.get(), MISSING_PAUSE));
        } else if (rooms().cells()
                .get(ask.pod().uid())
                .filter(CellFacts::wantsToRun)
                .isPresent()) {
            launch(ask);
        } else {
            rooms().cells().learn(ask.pod().uid(), new CellFact.Done(Errand.LAUNCH)); // it was deleted meanwhile
        }
    }

    /** What could not be launched now is not written into the journal either. */
    private void launch(Intent.AskForInstance ask) {
        if (mandates.cloud().expired(loop.nanos())) {
            rooms().cells().learn(ask.pod().uid(), new CellFact.NotLaunched(NOT_NOW, NOT_NOW_PAUSE));
            return;
        }
        if (!rooms().adoption().holdsBack(ask)) {
            rooms().launches().ask(ask);
        }
    }

    /** A Cell of that name may have been there before, and say something else. */
    private void bound(Intent.BindCell bind, CellFact answer, Consumer<CellFact> fact) {
        if (answer instanceof CellFact.CellSeen seen && !seen.cell().status().equals(bind.cell())) {
            fact.accept(CellFact.Undone.certainly(Errand.BIND));
            rooms().adoption().cellSeen(seen.cell());
        } else {
            fact.accept(answer);
        }
    }

    private void learn(String uid, CellFact answer) {
        rooms().cells().learn(uid, answer);
        if (answer instanceof CellFact.Reported reported) {
            takenOrders.accept(reported.report().highestEpoch());
            reported.report()
                    .pod()
                    .filter(pod -> !pod.uid().equals(uid))
                    .ifPresent(pod -> rooms().adoption().holdsAnother(uid, pod.uid()));
        } else if (answer instanceof CellFact.CellFailed failed && failed.error() instanceof CellError.Fenced fenced) {
            takenOrders.accept(fenced.highestEpoch());
        }
    }

    @Override
    public void changed(CellFacts before, CellFacts after) {
        rooms().launches().changed(before, after);
        count(before.pod().map(PodFacts::phase), after.pod().map(PodFacts::phase));
        if (before.instanceId().isEmpty()
                && after.instanceId().isPresent()
                && after.pod().isPresent()) {
            if (before.batch().isPresent()) {
                events.tell(
                        Subject.pod(after.pod().get()),
                        false,
                        "CellBound",
                        "Bound to instance " + after.instanceId().get());
            }
        }
        if (after.unsettled() && !before.unsettled()) {
            rooms().instances().hurry();
        }
    }

    private void count(Optional<String> before, Optional<String> after) {
        if (!before.equals(after)) {
            before.ifPresent(phase -> listener.pods(phase, -1));
            after.ifPresent(phase -> listener.pods(phase, 1));
        }
    }

    private static Terminations.Ending ending(String instanceId, Consumer<CellFact> fact) {
        return new Terminations.Ending() {
            @Override
            public void accepted() {
                fact.accept(new CellFact.Terminated(instanceId));
            }

            @Override
            public void unknown() {
                fact.accept(new CellFact.UnknownToCloud(instanceId));
            }

            @Override
            public void undone() {
                fact.accept(CellFact.Undone.of(Errand.TERMINATE));
            }
        };
    }
}
