package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/oasdiff/yaml3"
)

// deployed returns the documents of the files for containers and Kubernetes. The chart's template uses Go's own functions
// alone, so the test fills it in without Helm.
func deployed(t *testing.T) map[string]string {
	t.Helper()
	const root = "../../../examples/"
	read := func(name string) string {
		text, err := os.ReadFile(filepath.FromSlash(root + name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var values map[string]any
	if err := yaml.Unmarshal([]byte(read("helm/fogkeep/values.yaml")), &values); err != nil {
		t.Fatal(err)
	}
	chart, err := template.New("").Option("missingkey=error").Parse(read("helm/fogkeep/templates/fogkeep.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var filled bytes.Buffer
	release := map[string]string{"Name": "fog", "Namespace": "games"}
	if err := chart.Execute(&filled, map[string]any{"Values": values, "Release": release}); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"chart": filled.String(), "one-node": read("compose/one-node.yaml"), "three-nodes": read("compose/three-nodes.yaml"), "Dockerfile": read("../Dockerfile")}
}

// TestDeploymentsNameSettings: the files for containers and Kubernetes parse, and set variables that the server has, secrets
// by files alone. The chart probes both health endpoints, starts its pods together and gives a stopping node enough time.
func TestDeploymentsNameSettings(t *testing.T) {
	t.Parallel()
	var known []string
	for f := range reflect.TypeFor[Config]().Fields() {
		if _, secret := f.Tag.Lookup("secret"); secret {
			known = append(known, f.Tag.Get("env")+"_FILE")
		} else {
			known = append(known, f.Tag.Get("env"))
		}
	}
	all := deployed(t)
	for file, text := range all {
		names := regexp.MustCompile(`\bFOGKEEP_[A-Z_]+`).FindAllString(text, -1)
		if len(names) < 1 {
			t.Errorf("%s sets nothing", file)
		}
		for _, name := range names {
			if !slices.Contains(known, name) {
				t.Errorf("%s: the server has no variable %s", file, name)
			}
		}
		if file == "Dockerfile" {
			continue
		}
		for d := yaml.NewDecoder(strings.NewReader(text)); ; {
			var doc map[string]any
			if err := d.Decode(&doc); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if doc["kind"] == "StatefulSet" {
				checkPods(t, doc["spec"].(map[string]any))
			}
			services, _ := doc["services"].(map[string]any)
			for name, service := range services {
				s := service.(map[string]any)
				before, _ := s["depends_on"].(map[string]any)
				for other := range before {
					if services[other] == nil {
						t.Errorf("%s: %s waits for %s, which does not exist", file, name, other)
					}
				}
			}
		}
	}
	for _, kind := range []string{"PodDisruptionBudget", "StatefulSet", "Service"} {
		if !strings.Contains(all["chart"], "\nkind: "+kind+"\n") {
			t.Errorf("the chart has no %s", kind)
		}
	}
}

func checkPods(t *testing.T, spec map[string]any) {
	t.Helper()
	at := func(v any, path ...any) any {
		for _, p := range path {
			switch p := p.(type) {
			case string:
				m, _ := v.(map[string]any)
				v = m[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v
	}
	pod := at(spec, "template", "spec")
	server := at(pod, "containers", 0)
	grace := int(Defaults().Grace.Seconds())
	if n, _ := at(pod, "terminationGracePeriodSeconds").(int); n <= 3*grace {
		t.Errorf("a pod has %d s to stop, and a node needs %d", n, 3*grace)
	}
	for _, c := range []struct {
		from any
		path string
		want any
	}{
		{spec, "podManagementPolicy", "Parallel"}, {spec, "replicas", 3}, {pod, "securityContext runAsNonRoot", true},
		{server, "livenessProbe httpGet path", "/livez"}, {server, "startupProbe httpGet path", "/livez"}, {server, "readinessProbe httpGet path", "/readyz"},
		{server, "securityContext readOnlyRootFilesystem", true},
	} {
		v := c.from
		for name := range strings.FieldsSeq(c.path) {
			v = at(v, name)
		}
		if v != c.want {
			t.Errorf("the chart has %s %v, want %v", c.path, v, c.want)
		}
	}
	mounted := map[string]bool{}
	for _, v := range append(at(pod, "volumes").([]any), at(spec, "volumeClaimTemplates", 0, "metadata")) {
		mounted[fmt.Sprint(at(v, "name"))] = true
	}
	for _, c := range append(at(pod, "initContainers").([]any), server) {
		for _, m := range at(c, "volumeMounts").([]any) {
			if name := fmt.Sprint(at(m, "name")); !mounted[name] {
				t.Errorf("the chart mounts %s, which is no volume", name)
			}
		}
	}
}
