package dev.kip.controller.config;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what is wrong with one file, so that all of it can be told at once. */
final class Problems {

    private final String file;
    private final List<Problem> found = new ArrayList<>();

    Problems(String file) {
        this.file = file;
    }

    void add(int line, String key, String message) {
        found.add(new Problem(file + ":" + line, line, key, message));
    }

    /** For what no line of the file says. */
    void addUnplaced(String key, String message) {
        found.add(new Problem(file, Integer.MAX_VALUE, key, message));
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    /** In the order of the file. */
    ImmutableList<Problem> inOrder() {
        return ImmutableList.sortedCopyOf(Comparator.comparingInt(Problem::line), found);
    }
}
