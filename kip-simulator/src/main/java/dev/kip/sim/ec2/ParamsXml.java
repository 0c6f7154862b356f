package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableMap;
import dev.kip.sim.aws.Xml;
import java.util.LinkedHashSet;

/** Writes parameters back the way EC2 echoes them: lists end in {@code Set}, names begin with a small letter. */
final class ParamsXml {

    /** Lists whose echoed name is not the parameter's name and {@code Set}. */
    private static final ImmutableMap<String, String> LISTS = ImmutableMap.of(
            "BlockDeviceMapping", "blockDeviceMappingSet",
            "NetworkInterface", "networkInterfaceSet",
            "TagSpecification", "tagSpecificationSet",
            "SecurityGroupId", "securityGroupIdSet",
            "Tag", "tagSet");

    private ParamsXml() {}

    static void write(Xml xml, Params params) {
        LinkedHashSet<String> names = new LinkedHashSet<>();
        params.values().keySet().forEach(name -> names.add(Params.topLevel(name)));
        for (String name : names) {
            if (params.values().containsKey(name)) {
                xml.put(small(name), params.values().getOrDefault(name, ""));
            } else if (!params.children(name).isEmpty()) {
                xml.items(list(name), params.children(name), ParamsXml::write);
            } else if (!params.list(name).isEmpty()) {
                xml.texts(list(name), params.list(name));
            } else {
                xml.in(small(name), inner -> write(inner, params.below(name)));
            }
        }
    }

    private static String list(String name) {
        return LISTS.getOrDefault(name, small(name) + "Set");
    }

    private static String small(String name) {
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
}
