{{/* The name of all that the release makes: "kip" for a release of that name. */}}
{{- define "kip.name" -}}
{{- ternary .Release.Name (printf "%s-kip" .Release.Name) (contains "kip" .Release.Name) | trunc 53 | trimSuffix "-" }}
{{- end }}

{{- define "kip.selector" -}}
app.kubernetes.io/name: kip
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "kip.labels" -}}
{{ include "kip.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "kip.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* What the controller and the drain have in common: account, security, place, configuration. */}}
{{- define "kip.pod" -}}
serviceAccountName: {{ include "kip.name" . }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            # Never on a virtual node, its own least of all.
            - key: type
              operator: NotIn
              values: [virtual-kubelet]
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: config
    configMap:
      name: {{ include "kip.name" . }}
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
{{- end }}

{{- define "kip.container" -}}
image: {{ include "kip.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: POD_IP
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
  - name: JAVA_TOOL_OPTIONS
    value: -XX:+UseG1GC -XX:MaxRAMPercentage=60 -XX:-UsePerfData -XX:+ExitOnOutOfMemoryError
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: config
    mountPath: /etc/kip
    readOnly: true
  # For the JVM's own scratch files; nothing of ours.
  - name: tmp
    mountPath: /tmp
{{- end }}
