package kubernetes

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// Every pod passes the strictest level of the Pod Security Standards, and would not without its settings.
func TestPodsAreRestricted(t *testing.T) {
	for name, pod := range podsOf(t) {
		for _, violation := range violations(t, pod) {
			t.Errorf("%s: %s", name, violation)
		}
		pod.Spec.SecurityContext = nil
		pod.Spec.Containers[0].SecurityContext = nil
		if found := violations(t, pod); len(found) != 4 {
			t.Errorf("%s: want 4 violations without a security context, got %q", name, found)
		}
	}
}

// violations returns what forbids the pod in a namespace of level restricted.
func violations(t *testing.T, pod corev1.PodTemplateSpec) (found []string) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			found = append(found, result.ForbiddenReason+": "+result.ForbiddenDetail)
		}
	}
	return found
}

// What the standards do not ask for, and we do.
func TestContainers(t *testing.T) {
	for name, pod := range podsOf(t) {
		t.Run(name, func(t *testing.T) {
			for _, container := range pod.Spec.Containers {
				assertHardened(t, container)
				assertProbed(t, container)
				assertLimited(t, container)
			}
		})
	}
}

func assertHardened(t *testing.T, c corev1.Container) {
	t.Helper()
	if s := c.SecurityContext; s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		t.Error("the root file system can be written to")
	}
}

func assertProbed(t *testing.T, c corev1.Container) {
	t.Helper()
	ports := map[string]int32{}
	for _, port := range c.Ports {
		ports[port.Name] = port.ContainerPort
	}
	for kind, probe := range map[string]*corev1.Probe{"startup": c.StartupProbe, "readiness": c.ReadinessProbe, "liveness": c.LivenessProbe} {
		if probe == nil || probe.HTTPGet == nil || ports[probe.HTTPGet.Port.StrVal] != 13134 {
			t.Errorf("the %s probe does not ask the health extension", kind)
		}
	}
}

// assertLimited: the memory limiter refuses first, then Go collects harder, and the kernel never has to kill.
func assertLimited(t *testing.T, c corev1.Container) {
	t.Helper()
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if c.Resources.Limits[name] == (resource.Quantity{}) || c.Resources.Requests[name] == (resource.Quantity{}) {
			t.Errorf("no request or no limit for %s", name)
		}
	}
	values := map[string]string{}
	for _, variable := range c.Env {
		values[variable.Name] = variable.Value
	}
	limit := c.Resources.Limits.Memory().Value()
	if slices.Contains(c.Args, "embedded:default") {
		// The collector sets GOMEMLIMIT itself, by this.
		if refuses := embeddedLimit(t); refuses<<20 > limit*7/10 {
			t.Errorf("want %d MiB < 70 %% of the limit %d", refuses, limit)
		}
		return
	}
	refuses, err := strconv.ParseInt(values["MEMORY_MIB"], 10, 64)
	if err != nil {
		t.Fatal("MEMORY_MIB:", err)
	}
	collects, err := resource.ParseQuantity(values["GOMEMLIMIT"][:len(values["GOMEMLIMIT"])-1])
	if err != nil {
		t.Fatal("GOMEMLIMIT:", err)
	}
	if refuses<<20 >= collects.Value() || collects.Value() > limit*9/10 {
		t.Errorf("want MEMORY_MIB %d MiB < GOMEMLIMIT %d < 90 %% of the limit %d", refuses, collects.Value(), limit)
	}
}

// embeddedLimit is the MiB at which embedded:default refuses.
func embeddedLimit(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("../../config/default.yaml")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`[ {]limit_mib: (\d+)`).FindSubmatch(text)
	if match == nil {
		t.Fatal("embedded:default has no limit_mib")
	}
	mib, err := strconv.ParseInt(string(match[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mib
}
