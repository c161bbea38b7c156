package kubernetes

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
)

const manifests = "../../deploy/kubernetes"

// strategies are the API server's ways to create each kind.
var strategies = map[string]rest.RESTCreateStrategy{
	"ConfigMap":               configmap.Strategy,
	"DaemonSet":               daemonset.Strategy,
	"Deployment":              deployment.Strategy,
	"HorizontalPodAutoscaler": horizontalpodautoscaler.Strategy,
	"Namespace":               namespace.Strategy,
	"NetworkPolicy":           networkpolicy.Strategy,
	"PersistentVolumeClaim":   persistentvolumeclaim.Strategy,
	"PodDisruptionBudget":     poddisruptionbudget.Strategy,
	"Service":                 service.Strategy,
	"ServiceAccount":          serviceaccount.Strategy,
	"StatefulSet":             statefulset.Strategy,
}

// documents are the manifests one by one, but for kustomize's own file.
func documents(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(manifests, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if filepath.Base(file) != "kustomization.yaml" {
			split(t, file, all)
		}
	}
	if len(all) == 0 {
		t.Fatal("no manifest in", manifests)
	}
	return all
}

func split(t *testing.T, file string, into map[string][]byte) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	reader := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	for {
		document := make([]byte, len(text))
		n, err := reader.Read(document)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(file, err)
		}
		named(t, filepath.Base(file), document[:n], into)
	}
}

// named adds a document under its file, kind and name.
func named(t *testing.T, file string, document []byte, into map[string][]byte) {
	t.Helper()
	var head struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
	}
	if err := yaml.Unmarshal(document, &head); err != nil {
		t.Fatal(file, err)
	}
	into[file+" "+head.Kind+" "+head.Name] = document
}

// strict knows every field and says so when one is unknown or there twice.
var strict = json.NewSerializerWithOptions(json.DefaultMetaFactory, legacyscheme.Scheme, legacyscheme.Scheme,
	json.SerializerOptions{Yaml: true, Strict: true})

// decode gives the object as the API server has it inside, with all defaults.
func decode(document []byte) (runtime.Object, string, error) {
	decoder := legacyscheme.Codecs.DecoderToVersion(strict, runtime.InternalGroupVersioner)
	object, kind, err := decoder.Decode(document, nil, nil)
	if err != nil {
		return nil, "", err
	}
	return object, kind.Kind, nil
}

// create does what the API server does with a POST, up to the store. It gives
// the warnings that kubectl would show.
func create(document []byte) ([]string, error) {
	object, kind, err := decode(document)
	if err != nil {
		return nil, err
	}
	strategy, ok := strategies[kind]
	if !ok {
		return nil, errors.New("no strategy for the kind " + kind)
	}
	meta, err := metaOf(object)
	if err != nil {
		return nil, err
	}
	rest.FillObjectMetaSystemFields(meta)
	ctx := genericrequest.WithNamespace(context.Background(), meta.GetNamespace())
	ctx = genericrequest.WithRequestInfo(ctx, &genericrequest.RequestInfo{Verb: "create"})
	normalize(object)
	err = rest.BeforeCreate(strategy, ctx, object)
	return strategy.WarningsOnCreate(ctx, object), err
}

// normalize does what the server's store does first: the older of two fields goes into the newer one.
func normalize(object runtime.Object) {
	if s, ok := object.(*core.Service); ok && s.Spec.ClusterIP != "" {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
}

func metaOf(object runtime.Object) (metav1.Object, error) {
	meta, ok := object.(metav1.ObjectMetaAccessor)
	if !ok {
		return nil, errors.New("an object without metadata")
	}
	return meta.GetObjectMeta(), nil
}

func TestTheServerTakesEachManifest(t *testing.T) {
	kinds := map[string]bool{}
	for name, document := range documents(t) {
		t.Run(name, func(t *testing.T) {
			warnings, err := create(document)
			if err != nil {
				t.Error(err)
			}
			for _, warning := range warnings {
				t.Error("warning:", warning)
			}
		})
		kinds[strings.Fields(name)[1]] = true
	}
	for _, kind := range []string{"DaemonSet", "Deployment", "HorizontalPodAutoscaler", "StatefulSet", "PodDisruptionBudget"} {
		if !kinds[kind] {
			t.Error("no", kind)
		}
	}
}

// What is wrong has to be seen, or the test above says nothing.
func TestTheServerRefuses(t *testing.T) {
	agent := string(documents(t)["agent.yaml DaemonSet agent"])
	for name, change := range map[string]struct{ old, new, want string }{
		"unknown field":   {"automountServiceAccountToken: false", "automountToken: false", "unknown field"},
		"wrong type":      {"containerPort: 4319", "containerPort: mcp", "cannot unmarshal"},
		"out of range":    {"containerPort: 4319", "containerPort: 70000", "must be between 1 and 65535"},
		"unknown port":    {"port: health", "port: no_such_port!", "port"},
		"other selector":  {"matchLabels:\n      app.kubernetes.io/name: otelcol-mcp", "matchLabels:\n      app.kubernetes.io/name: other", "selector"},
		"no such volume":  {"mountPath: /etc/otelcol-mcp\n", "mountPath: /etc/otelcol-mcp\n            - name: nowhere\n              mountPath: /x\n", "Not found"},
		"requests >limit": {"memory: 128Mi", "memory: 128Gi", "must be less than or equal to memory limit"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(agent, change.old, change.new, 1)
			if broken == agent {
				t.Fatal("nothing was changed")
			}
			_, err := create([]byte(broken))
			if err == nil || !strings.Contains(err.Error(), change.want) {
				t.Errorf("got error %v, want %q in it", err, change.want)
			}
		})
	}
}

// podsOf gives the templates of pods, by the name of the manifest.
func podsOf(t *testing.T) map[string]corev1.PodTemplateSpec {
	t.Helper()
	return podsIn(t, documents(t))
}

func podsIn(t *testing.T, documents map[string][]byte) map[string]corev1.PodTemplateSpec {
	t.Helper()
	pods := map[string]corev1.PodTemplateSpec{}
	for name, document := range documents {
		if kind := strings.Fields(name)[1]; !slices.Contains([]string{"DaemonSet", "Deployment", "StatefulSet"}, kind) {
			continue
		}
		var workload struct {
			Spec struct{ Template corev1.PodTemplateSpec }
		}
		if err := yaml.Unmarshal(document, &workload); err != nil {
			t.Fatal(name, err)
		}
		pods[name] = workload.Spec.Template
	}
	return pods
}
