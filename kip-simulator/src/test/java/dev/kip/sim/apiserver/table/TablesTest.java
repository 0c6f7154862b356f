package dev.kip.sim.apiserver.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableList;
import dev.kip.sim.apiserver.ResourceType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class TablesTest {

    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static ResourceType type(String group, String plural) {
        return new ResourceType(
                group,
                "v1",
                "Kind",
                plural,
                plural,
                true,
                ImmutableList.of(),
                ImmutableList.of(),
                ImmutableList.of(),
                ImmutableList.of());
    }

    /** Single quotes stand for double ones. */
    private static ObjectNode object(String json) {
        return (ObjectNode) JSON.readTree(json.replace('\'', '"'));
    }

    private static ObjectNode render(String group, String plural, ObjectNode... items) {
        return Tables.render(type(group, plural), List.of(), List.of(items), false, NOW);
    }

    private static List<String> cells(JsonNode table) {
        List<String> cells = new ArrayList<>();
        table.at("/rows/0/cells").forEach(cell -> cells.add(cell.isNull() ? "null" : cell.asString()));
        return cells;
    }

    private static List<String> pod(String spec, String status) {
        return cells(render(
                "",
                "pods",
                object("{'metadata':{'name':'p','creationTimestamp':'2026-11-30T11:54:57Z'},'spec':" + spec
                        + ",'status':" + status + "}")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /pods | Name, Ready, Status, Restarts, Age, IP*, Node*, Nominated Node*, Readiness Gates*
            /nodes | Name, Status, Roles, Age, Version, Internal-IP*, External-IP*, OS-Image*, Kernel-Version*, Container-Runtime*
            apps/deployments | Name, Ready, Up-to-date, Available, Age, Containers*, Images*, Selector*
            apps/replicasets | Name, Desired:integer, Current:integer, Ready:integer, Age, Containers*, Images*, Selector*
            apps/daemonsets | Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, Containers*, Images*, Selector*
            apps/statefulsets | Name, Ready, Age, Containers*, Images*
            batch/jobs | Name, Status, Completions, Duration, Age, Containers*, Images*, Selector*
            batch/cronjobs | Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, Containers*, Images*, Selector*
            /events | Last Seen, Type, Reason, Object, Subobject*, Source*, Message, First Seen*, Count*, Name*
            /services | Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector*
            /endpoints | Name, Endpoints, Age
            discovery.k8s.io/endpointslices | Name, AddressType, Ports, Endpoints, Age
            coordination.k8s.io/leases | Name, Holder, Age
            /configmaps | Name, Data, Age
            /secrets | Name, Type, Data, Age
            /serviceaccounts | Name, Secrets, Age
            /namespaces | Name, Status, Age
            /persistentvolumes | Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode*
            /persistentvolumeclaims | Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode*
            storage.k8s.io/storageclasses | Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age
            autoscaling/horizontalpodautoscalers | Name, Reference, Targets, MinPods, MaxPods, Replicas, Age
            networking.k8s.io/ingresses | Name, Class, Hosts, Address, Ports, Age
            policy/poddisruptionbudgets | Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age
            /resourcequotas | Name, Request, Limit, Age
            scheduling.k8s.io/priorityclasses | Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy
            rbac.authorization.k8s.io/roles | Name, Created At:date
            rbac.authorization.k8s.io/rolebindings | Name, Role, Age, Users*, Groups*, ServiceAccounts*
            certificates.k8s.io/certificatesigningrequests | Name, Age, SignerName, Requestor, RequestedDuration, Condition
            apiextensions.k8s.io/customresourcedefinitions | Name, Created At:date
            apiregistration.k8s.io/apiservices | Name, Service, Available, Age
            """)
    void columns_are_those_of_the_real_server(String resource, String columns) {
        int slash = resource.indexOf('/');

        List<String> actual = new ArrayList<>();
        JsonNode table = render(resource.substring(0, slash), resource.substring(slash + 1));
        table.path("columnDefinitions").forEach(column -> {
            String name = column.path("name").asString();
            String type = column.path("type").asString();
            actual.add(name
                    + (type.equals("string") ? "" : ":" + type)
                    + (column.path("priority").asInt() > 0 ? "*" : ""));
            assertThat(column.path("format").asString()).isEqualTo(name.equals("Name") ? "name" : "");
        });

        assertThat(String.join(", ", actual)).isEqualTo(columns);
    }

    @Test
    void a_running_pod() {
        assertThat(pod(
                        "{'nodeName':'n','containers':[{'name':'a'},{'name':'b'}]}",
                        "{'phase':'Running','podIPs':[{'ip':'10.0.0.1'}],'containerStatuses':["
                                + "{'name':'a','ready':true,'restartCount':1,'state':{'running':{}},'lastState':"
                                + "{'terminated':{'finishedAt':'2026-11-30T11:59:55Z'}}},"
                                + "{'name':'b','ready':false,'restartCount':0,'state':{'running':{}}}]}"))
                .containsExactly("p", "1/2", "Running", "1 (5s ago)", "5m3s", "10.0.0.1", "n", "<none>", "<none>");
    }

    @Test
    void a_pod_shows_why_it_does_not_run() {
        String spec = "{'containers':[{'name':'a'}]}";

        assertThat(pod(spec, "{'phase':'Pending'}").get(2)).isEqualTo("Pending");
        assertThat(pod(
                                spec,
                                "{'phase':'Pending','containerStatuses':[{'name':'a','state':"
                                        + "{'waiting':{'reason':'ContainerCreating'}}}]}")
                        .get(2))
                .isEqualTo("ContainerCreating");
        assertThat(pod(
                                spec,
                                "{'phase':'Running','containerStatuses':[{'name':'a','restartCount':4,'state':"
                                        + "{'waiting':{'reason':'CrashLoopBackOff'}}}]}")
                        .subList(1, 4))
                .containsExactly("0/1", "CrashLoopBackOff", "4");
        assertThat(pod(
                                spec,
                                "{'phase':'Succeeded','containerStatuses':[{'name':'a','state':"
                                        + "{'terminated':{'exitCode':0,'reason':'Completed'}}}]}")
                        .get(2))
                .isEqualTo("Completed");
        assertThat(pod(
                                spec,
                                "{'phase':'Failed','containerStatuses':[{'name':'a','state':{'terminated':{'exitCode':3}}}]}")
                        .get(2))
                .isEqualTo("ExitCode:3");
        assertThat(pod(spec, "{'phase':'Failed','reason':'Evicted'}").get(2)).isEqualTo("Evicted");
        assertThat(pod(
                                spec,
                                "{'phase':'Pending','conditions':[{'type':'PodScheduled','status':'False',"
                                        + "'reason':'SchedulingGated'}]}")
                        .get(2))
                .isEqualTo("SchedulingGated");
    }

    @Test
    void init_containers_are_counted_and_sidecars_belong_to_the_pod() {
        String spec =
                "{'initContainers':[{'name':'i'},{'name':'s','restartPolicy':'Always'}],'containers':[{'name':'a'}]}";

        assertThat(pod(
                                spec,
                                "{'phase':'Pending','initContainerStatuses':[{'name':'i','state':{'running':{}}},"
                                        + "{'name':'s','state':{'waiting':{'reason':'PodInitializing'}}}]}")
                        .subList(1, 3))
                .containsExactly("0/2", "Init:0/2");
        assertThat(pod(
                                spec,
                                "{'phase':'Pending','initContainerStatuses':[{'name':'i','state':"
                                        + "{'terminated':{'exitCode':1,'reason':'Error'}}}]}")
                        .get(2))
                .isEqualTo("Init:Error");
        assertThat(pod(
                                spec,
                                "{'phase':'Running','conditions':[{'type':'Initialized','status':'True'}],"
                                        + "'initContainerStatuses':[{'name':'i','state':{'terminated':{'exitCode':0}}},"
                                        + "{'name':'s','ready':true,'started':true,'state':{'running':{}}}],"
                                        + "'containerStatuses':[{'name':'a','ready':true,'state':{'running':{}}}]}")
                        .subList(1, 3))
                .containsExactly("2/2", "Running");
    }

    @Test
    void a_pod_being_deleted_is_terminating_unless_it_has_ended() {
        String pod = "{'metadata':{'name':'p','deletionTimestamp':'2026-11-30T11:59:00Z'},'spec':{'containers':[{}]},"
                + "'status':{'phase':'%s'}}";

        assertThat(cells(render("", "pods", object(pod.formatted("Running")))).get(2))
                .isEqualTo("Terminating");
        assertThat(cells(render("", "pods", object(pod.formatted("Succeeded")))).get(2))
                .isEqualTo("Succeeded");
        assertThat(render("", "pods", object(pod.formatted("Failed")))
                        .at("/rows/0/conditions/0/message")
                        .asString())
                .isEqualTo("The pod failed.");
    }

    @Test
    void a_node() {
        assertThat(cells(render(
                        "",
                        "nodes",
                        object("{'metadata':{'name':'n','creationTimestamp':'2026-11-28T11:00:00Z','labels':"
                                + "{'node-role.kubernetes.io/agent':'','kubernetes.io/role':'cell'}},"
                                + "'spec':{'unschedulable':true},'status':{'conditions':[{'type':'Ready','status':'True'}],"
                                + "'addresses':[{'type':'InternalIP','address':'10.0.0.9'}],"
                                + "'nodeInfo':{'kubeletVersion':'v1.34.4','osImage':'Kip'}}}"))))
                .containsExactly(
                        "n",
                        "Ready,SchedulingDisabled",
                        "agent,cell",
                        "2d1h",
                        "v1.34.4",
                        "10.0.0.9",
                        "<none>",
                        "Kip",
                        "<unknown>",
                        "<unknown>");
        assertThat(cells(render("", "nodes", object("{'metadata':{'name':'n'}}")))
                        .subList(1, 4))
                .containsExactly("Unknown", "<none>", "<unknown>");
    }

    @Test
    void workloads() {
        String template = "'template':{'spec':{'containers':[{'name':'a','image':'x'},{'name':'b','image':'y'}]}}";
        assertThat(
                        cells(
                                render(
                                        "apps",
                                        "deployments",
                                        object(
                                                "{'metadata':{'name':'d','creationTimestamp':'2026-11-30T11:59:00Z'},'spec':{'replicas':3,"
                                                        + "'selector':{'matchLabels':{'b':'2','a':'1'}}," + template
                                                        + "},'status':{'readyReplicas':2,'updatedReplicas':3,'availableReplicas':1}}"))))
                .containsExactly("d", "2/3", "3", "1", "60s", "a,b", "x,y", "a=1,b=2");
        assertThat(cells(render(
                        "apps",
                        "daemonsets",
                        object(
                                "{'metadata':{'name':'d'},'spec':{'selector':{'matchExpressions':[{'key':'k','operator':'In',"
                                        + "'values':['b','a']}]}," + template
                                        + "},'status':{'desiredNumberScheduled':1}}"))))
                .containsExactly("d", "1", "0", "0", "0", "0", "<none>", "<unknown>", "a,b", "x,y", "k in (a,b)");
        assertThat(cells(render(
                                "batch",
                                "jobs",
                                object("{'metadata':{'name':'j'},'spec':{'completions':2,'parallelism':1," + template
                                        + "},'status':{'succeeded':1,'startTime':'2026-11-30T11:58:00Z'}}")))
                        .subList(0, 4))
                .containsExactly("j", "Running", "1/2", "2m");
    }

    @Test
    void events_begin_with_when_they_were_last_seen() {
        assertThat(cells(render(
                        "",
                        "events",
                        object("{'metadata':{'name':'p.1'},'type':'Normal','reason':'Scheduled','message':'assigned ',"
                                + "'involvedObject':{'kind':'Pod','name':'p'},'firstTimestamp':null,"
                                + "'eventTime':'2026-11-30T11:59:50.123456Z','reportingComponent':'default-scheduler',"
                                + "'source':{}}"))))
                .containsExactly(
                        "9s", "Normal", "Scheduled", "pod/p", "", "default-scheduler", "assigned", "9s", "1", "p.1");
        assertThat(cells(
                                render(
                                        "",
                                        "events",
                                        object(
                                                "{'metadata':{'name':'p.1'},'firstTimestamp':'2026-11-30T11:00:00Z','count':7,"
                                                        + "'lastTimestamp':'2026-11-30T11:59:00Z','source':{'component':'kubelet','host':'n'}}")))
                        .subList(5, 9))
                .containsExactly("kubelet, n", "", "60m", "7");
    }

    @Test
    void services_and_small_kinds() {
        assertThat(cells(render(
                        "",
                        "services",
                        object("{'metadata':{'name':'s'},'spec':{'type':'NodePort','clusterIP':'10.0.0.1','clusterIPs':"
                                + "['10.0.0.1'],'ports':[{'port':80,'nodePort':30080,'protocol':'TCP'},{'port':53,"
                                + "'protocol':'UDP'}]}}"))))
                .containsExactly("s", "NodePort", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "<unknown>", "<none>");
        assertThat(cells(render("", "configmaps", object("{'metadata':{'name':'c'},'data':{'a':'','b':''}}")))
                        .get(1))
                .isEqualTo("2");
        assertThat(cells(render("", "secrets", object("{'metadata':{'name':'c'},'type':'Opaque'}")))
                        .subList(1, 3))
                .containsExactly("Opaque", "0");
        assertThat(cells(render(
                                "policy",
                                "poddisruptionbudgets",
                                object("{'metadata':{'name':'c'},'spec':{'minAvailable':1}}")))
                        .subList(1, 4))
                .containsExactly("1", "N/A", "0");
        assertThat(cells(render(
                                "",
                                "endpoints",
                                object(
                                        "{'metadata':{'name':'e'},'subsets':[{'addresses':[{'ip':'1'},{'ip':'2'},{'ip':'3'},"
                                                + "{'ip':'4'}],'ports':[{'port':80}]}]}")))
                        .get(1))
                .isEqualTo("1:80,2:80,3:80 + 1 more...");
    }

    @Test
    void a_custom_resource_in_its_own_columns() {
        JsonNode version = JSON.readTree("""
                {"additionalPrinterColumns": [
                  {"name": "Pod Name", "type": "string", "jsonPath": ".status.podName"},
                  {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1},
                  {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\\"Ready\\")].status"},
                  {"name": "Zone", "type": "string", "jsonPath": ".metadata.labels['topology.kubernetes.io/zone']"},
                  {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]}
                """);
        ObjectNode cell = object("{'metadata':{'name':'c','creationTimestamp':'2026-11-30T11:00:00Z','labels':"
                + "{'topology.kubernetes.io/zone':'a'}},'spec':{'size':3},'status':{'podName':'p','conditions':"
                + "[{'type':'Other','status':'False'},{'type':'Ready','status':'True'}]}}");

        ObjectNode table = Tables.render(
                type("kip.elotl.co", "cells"), PrinterColumn.ofVersion(version), List.of(cell), true, NOW);

        assertThat(cells(table)).containsExactly("c", "p", "3", "True", "a", "60m");
        assertThat(table.at("/columnDefinitions/2/priority").asInt()).isEqualTo(1);
        assertThat(table.at("/rows/0/object")).isEqualTo(cell);
        assertThat(cells(Tables.render(
                        type("kip.elotl.co", "cells"),
                        PrinterColumn.ofVersion(version),
                        List.of(object("{'metadata':{'name':'c'}}")),
                        false,
                        NOW)))
                .containsExactly("c", "null", "null", "null", "null", "null");
    }

    @Test
    void a_custom_resource_without_columns_shows_its_age() {
        ObjectNode table = render(
                "x.example", "things", object("{'metadata':{'name':'t','creationTimestamp':'2026-11-30T11:59:58Z'}}"));

        assertThat(cells(table)).containsExactly("t", "2s");
        assertThat(table.at("/rows/0/object/kind").asString()).isEqualTo("PartialObjectMetadata");
    }

    @Test
    void a_scale_has_columns_of_its_own() {
        assertThat(cells(render(
                        "apps",
                        "deployments",
                        object("{'kind':'Scale','metadata':{'name':'d'},'spec':{'replicas':2}}"))))
                .containsExactly("d", "2", "0", "<unknown>");
    }

    @ParameterizedTest
    @CsvSource({
        "PT-3S, <invalid>",
        "PT-1.5S, 0s",
        "PT0S, 0s",
        "PT119S, 119s",
        "PT2M, 2m",
        "PT5M3S, 5m3s",
        "PT10M59S, 10m",
        "PT179M, 179m",
        "PT3H, 3h",
        "PT7H30M, 7h30m",
        "PT47H59M, 47h",
        "P2D, 2d",
        "P7DT5H, 7d5h",
        "P100D, 100d",
        "P731D, 2y1d",
        "P3000D, 8y"
    })
    void ages_read_as_kubectl_prints_them(String duration, String text) {
        assertThat(HumanDuration.of(Duration.parse(duration.toUpperCase(Locale.ROOT))))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            .a.b | 1
            {.a.b} | 1
            $.a.b | 1
            .l[0] | x
            .l[-1:] | y
            .l[*] | x
            .m['k.v/w'] | 2
            .m.k\\.v/w | 2
            .c[?(@.t=="R")].s | T
            .c[?(@.t!="R")].s | F
            .c[?(@.only)].s | F
            """)
    void paths(String path, String value) {
        ObjectNode object = object(
                "{'a':{'b':1},'l':['x','y'],'m':{'k.v/w':2}," + "'c':[{'t':'Q','s':'F','only':1},{'t':'R','s':'T'}]}");

        assertThat(JsonPath.parse(path).first(object).map(JsonNode::asString)).contains(value);
    }
}
