package dev.kip.sim.ec2;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import dev.kip.sim.aws.Xml;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/** The account's default VPC with a public subnet in each zone, and the private addresses in use. */
final class Network {

    static final String VPC = "vpc-0d1e2f3a4b5c60001";
    static final String MAIN_TABLE = "rtb-0d1e2f3a4b5c60001";
    static final String GATEWAY = "igw-0d1e2f3a4b5c60001";
    static final String VPC_CIDR = "172.31.0.0/16";

    /** EC2 keeps the first four addresses of a subnet and the last. */
    private static final int RESERVED_FIRST = 4;

    private static final int SUBNET_BITS = 20;
    private static final int SUBNET_SIZE = 1 << (32 - SUBNET_BITS);

    private final String region;
    private final String account;
    private final ImmutableMap<String, Subnet> subnets;
    private final Tags tags;
    private final Filters<Subnet> subnetFilters;
    private final Filters<String> vpcFilters;

    Network(Ec2Settings settings, Tags tags) {
        this.region = settings.region();
        this.account = settings.accountId();
        this.tags = tags;
        Map<String, Subnet> made = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            String id = "subnet-0d1e2f3a4b5c6000" + (i + 1);
            made.put(id, new Subnet(id, region + (char) ('a' + i), 16 * i));
        }
        this.subnets = ImmutableMap.copyOf(made);
        this.subnetFilters = new Filters<>(
                ImmutableMap.<String, Function<Subnet, Collection<String>>>builder()
                        .put("subnet-id", subnet -> ImmutableList.of(subnet.id))
                        .put("vpc-id", subnet -> ImmutableList.of(VPC))
                        .put("availability-zone", subnet -> ImmutableList.of(subnet.zone))
                        .put("default-for-az", subnet -> ImmutableList.of("true"))
                        .put("defaultForAz", subnet -> ImmutableList.of("true"))
                        .put("cidr-block", subnet -> ImmutableList.of(subnet.cidr()))
                        .put("state", subnet -> ImmutableList.of("available"))
                        .put("owner-id", subnet -> ImmutableList.of(account))
                        .buildOrThrow(),
                subnet -> tags.of(subnet.id));
        this.vpcFilters = new Filters<>(
                ImmutableMap.of(
                        "vpc-id", vpc -> ImmutableList.of(vpc),
                        "is-default", vpc -> ImmutableList.of("true"),
                        "isDefault", vpc -> ImmutableList.of("true"),
                        "cidr", vpc -> ImmutableList.of(VPC_CIDR),
                        "state", vpc -> ImmutableList.of("available")),
                tags::of);
    }

    String region() {
        return region;
    }

    ImmutableList<String> zones() {
        return subnets.values().stream().map(subnet -> subnet.zone).collect(ImmutableList.toImmutableList());
    }

    boolean knows(String id) {
        return id.equals(VPC) || subnets.containsKey(id);
    }

    /** @throws Ec2Failure as EC2 words it */
    Subnet require(String id) {
        return Optional.ofNullable(subnets.get(id))
                .orElseThrow(
                        () -> new Ec2Failure("InvalidSubnetID.NotFound", "The subnet ID '" + id + "' does not exist"));
    }

    /** The default subnet of the zone, or of the first zone. */
    Subnet defaultIn(Optional<String> zone) {
        return subnets.values().stream()
                .filter(subnet -> zone.isEmpty() || zone.get().equals(subnet.zone))
                .findFirst()
                .orElseThrow(() -> Ec2Failure.invalidValue("Invalid availability zone: [" + zone.orElse("") + "]"));
    }

    void requireVpc(String id) {
        if (!id.equals(VPC)) {
            throw new Ec2Failure("InvalidVpcID.NotFound", "The vpc ID '" + id + "' does not exist");
        }
    }

    void describeSubnets(Params params, Xml xml) {
        ImmutableList<String> ids = params.list("SubnetId");
        ids.forEach(this::require);
        ImmutableList<Subnet> chosen = subnetFilters.select(params, subnets.values()).stream()
                .filter(subnet -> ids.isEmpty() || ids.contains(subnet.id))
                .sorted(Comparator.comparing(subnet -> subnet.id))
                .collect(ImmutableList.toImmutableList());
        Pages.Page<Subnet> page = Pages.of(params, chosen, subnet -> subnet.id, 5, 1000, 1000);
        xml.items("subnetSet", page.items(), (item, subnet) -> {
            item.put("subnetId", subnet.id)
                    .put("subnetArn", "arn:aws:ec2:" + region + ":" + account + ":subnet/" + subnet.id)
                    .put("state", "available")
                    .put("ownerId", account)
                    .put("vpcId", VPC)
                    .put("cidrBlock", subnet.cidr())
                    .put("availableIpAddressCount", subnet.free())
                    .put("availabilityZone", subnet.zone)
                    .put("defaultForAz", true)
                    .put("mapPublicIpOnLaunch", true);
            tags.write(item, subnet.id);
        });
        xml.put("nextToken", page.nextToken());
    }

    void describeVpcs(Params params, Xml xml) {
        params.list("VpcId").forEach(this::requireVpc);
        xml.items("vpcSet", vpcFilters.select(params, ImmutableList.of(VPC)), (item, vpc) -> {
            item.put("vpcId", vpc)
                    .put("ownerId", account)
                    .put("state", "available")
                    .put("cidrBlock", VPC_CIDR)
                    .items(
                            "cidrBlockAssociationSet",
                            ImmutableList.of(VPC_CIDR),
                            (block, cidr) -> block.put("cidrBlock", cidr)
                                    .put("associationId", "vpc-cidr-assoc-0d1e2f3a4b5c60001")
                                    .in("cidrBlockState", state -> state.put("state", "associated")))
                    .put("dhcpOptionsId", "dopt-0d1e2f3a4b5c60001")
                    .put("instanceTenancy", "default")
                    .put("isDefault", true);
            tags.write(item, vpc);
        });
    }

    void describeRouteTables(Params params, Xml xml) {
        Filters<String> filters = new Filters<>(
                ImmutableMap.of(
                        "vpc-id", table -> ImmutableList.of(VPC),
                        "route-table-id", table -> ImmutableList.of(table),
                        "association.main", table -> ImmutableList.of("true"),
                        "association.subnet-id", table -> ImmutableList.of()),
                tags::of);
        xml.items(
                "routeTableSet",
                filters.select(params, ImmutableList.of(MAIN_TABLE)),
                (item, table) -> item.put("routeTableId", table)
                        .put("vpcId", VPC)
                        .put("ownerId", account)
                        .items(
                                "routeSet",
                                ImmutableMap.of(VPC_CIDR, "local", "0.0.0.0/0", GATEWAY)
                                        .entrySet(),
                                (route, to) -> route.put("destinationCidrBlock", to.getKey())
                                        .put("gatewayId", to.getValue())
                                        .put("state", "active"))
                        .items(
                                "associationSet",
                                ImmutableList.of(table),
                                (one, of) -> one.put("routeTableAssociationId", "rtbassoc-0d1e2f3a4b5c60001")
                                        .put("routeTableId", of)
                                        .put("main", true)));
    }

    void describeZones(Params params, Xml xml) {
        xml.items(
                "availabilityZoneInfo",
                zones(),
                (item, zone) -> item.put("zoneName", zone)
                        .put("zoneState", "available")
                        .put("regionName", region)
                        .put("zoneId", "use1-az" + (zone.charAt(zone.length() - 1) - 'a' + 1))
                        .put("optInStatus", "opt-in-not-required")
                        .put("zoneType", "availability-zone")
                        .put("groupName", region));
    }

    /** A subnet and its addresses in use. An address is handed out again only after all the others. */
    static final class Subnet {

        private final String id;
        private final String zone;
        private final int third;
        private final TreeSet<Integer> used = new TreeSet<>();
        private int next = RESERVED_FIRST;

        private Subnet(String id, String zone, int third) {
            this.id = id;
            this.zone = zone;
            this.third = third;
        }

        String id() {
            return id;
        }

        String zone() {
            return zone;
        }

        String cidr() {
            return "172.31." + third + ".0/" + SUBNET_BITS;
        }

        int free() {
            return SUBNET_SIZE - RESERVED_FIRST - 1 - used.size();
        }

        /** The caller has looked at {@link #free()}. */
        String take() {
            while (used.contains(next) || next >= SUBNET_SIZE - 1) {
                next = next >= SUBNET_SIZE - 1 ? RESERVED_FIRST : next + 1;
            }
            int offset = next++;
            used.add(offset);
            return "172.31." + (third + offset / 256) + "." + offset % 256;
        }

        void give(String address) {
            used.remove(offset(address));
        }

        void hold(String address) {
            used.add(offset(address));
        }

        private int offset(String address) {
            String[] parts = address.split("\\.", -1);
            return (Integer.parseInt(parts[2]) - third) * 256 + Integer.parseInt(parts[3]);
        }
    }
}
