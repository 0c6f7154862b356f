package dev.kip.yaml;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads YAML 1.2 (and so JSON). */
public final class YamlReader {

    private final String file;
    private final List<YamlProblem> duplicates = new ArrayList<>();

    private YamlReader(String file) {
        this.file = file;
    }

    /**
     * Reads every document of a file; empty documents are left out.
     *
     * @param file its name, for messages
     * @throws YamlProblem naming the line, for what is no YAML, duplicate keys, and keys that are no scalars
     */
    public static ImmutableList<Yaml> readAll(String file, String text) throws YamlProblem {
        YamlReader reader = new YamlReader(file);
        ImmutableList<Yaml> documents = reader.documents(text);
        if (!reader.duplicates.isEmpty()) {
            throw reader.duplicates.get(0);
        }
        return documents;
    }

    private ImmutableList<Yaml> documents(String text) throws YamlProblem {
        ImmutableList.Builder<Yaml> documents = ImmutableList.builder();
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setLabel(file)
                    .setAllowDuplicateKeys(true)
                    .build();
            for (Node node : new Compose(settings).composeAllFromString(text)) {
                Yaml document = convert(node);
                if (!(document instanceof Yaml.Scalar scalar && scalar.isNull())) {
                    documents.add(document);
                }
            }
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            throw new YamlProblem(file, line(mark), "not YAML: " + e.getProblem());
        } catch (StackOverflowError e) {
            throw new YamlProblem(file, 1, "not YAML that can be read: it is nested too deeply");
        } catch (YamlEngineException e) {
            throw new YamlProblem(file, 1, "not YAML: " + e.getMessage());
        }
        return documents.build();
    }

    /** Reads a file with one document; an empty one is an empty map. */
    public static Yaml read(String file, String text) throws YamlProblem {
        return single(file, readAll(file, text));
    }

    /**
     * As {@link #read(String, String)}, but goes on after a duplicate key, of which the first counts.
     *
     * @param duplicates a problem for each is added here
     */
    public static Yaml read(String file, String text, List<YamlProblem> duplicates) throws YamlProblem {
        YamlReader reader = new YamlReader(file);
        Yaml document = single(file, reader.documents(text));
        duplicates.addAll(reader.duplicates);
        return document;
    }

    private static Yaml single(String file, ImmutableList<Yaml> documents) throws YamlProblem {
        if (documents.size() > 1) {
            throw new YamlProblem(file, documents.get(1).line(), "one document expected, but a second begins here");
        }
        return documents.isEmpty() ? new Yaml.Mapping(1, ImmutableMap.of(), ImmutableMap.of()) : documents.get(0);
    }

    private Yaml convert(Node node) throws YamlProblem {
        int line = line(node.getStartMark());
        if (node.isRecursive()) {
            throw new YamlProblem(file, line, "an alias to a node that contains it");
        }
        if (node instanceof ScalarNode scalar) {
            return new Yaml.Scalar(line, scalar.getValue(), scalar.isPlain());
        }
        if (node instanceof SequenceNode sequence) {
            ImmutableList.Builder<Yaml> items = ImmutableList.builder();
            for (Node item : sequence.getValue()) {
                items.add(convert(item));
            }
            return new Yaml.Sequence(line, items.build());
        }
        if (node instanceof MappingNode mapping) {
            return convert(line, mapping);
        }
        throw new YamlProblem(file, line, "found " + node.getNodeType() + ", wanted a scalar, a list or a map");
    }

    private Yaml.Mapping convert(int line, MappingNode mapping) throws YamlProblem {
        Map<String, Yaml> entries = new LinkedHashMap<>();
        Map<String, Integer> keyLines = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            int keyLine = line(tuple.getKeyNode().getStartMark());
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw new YamlProblem(file, keyLine, "a key must be a word, not a list or a map");
            }
            if (entries.containsKey(key.getValue())) {
                duplicates.add(new YamlProblem(
                        file,
                        keyLine,
                        "\"" + key.getValue() + "\" is given twice, first in line " + keyLines.get(key.getValue())
                                + ": keep one"));
                continue;
            }
            entries.put(key.getValue(), convert(tuple.getValueNode()));
            keyLines.put(key.getValue(), keyLine);
        }
        return new Yaml.Mapping(line, ImmutableMap.copyOf(entries), ImmutableMap.copyOf(keyLines));
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(m -> m.getLine() + 1).orElse(1);
    }
}
