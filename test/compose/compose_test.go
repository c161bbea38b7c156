package compose

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

const folder = "../../deploy/compose"

func project(t *testing.T) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(folder, "compose.yaml")}, cli.WithInterpolation(true), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCompose: the file is valid, pins its images, mounts what is there, and publishes to this machine only.
func TestCompose(t *testing.T) {
	p := project(t)
	for _, name := range []string{"collector", "tempo", "loki", "prometheus", "grafana"} {
		if _, err := p.GetService(name); err != nil {
			t.Error(err)
		}
	}
	published := map[uint32]bool{}
	for _, port := range p.Services["collector"].Ports {
		published[port.Target] = true
	}
	for _, port := range []uint32{4319, 4327, 4328, 7810, 13134} {
		if !published[port] {
			t.Errorf("port %d of the collector is not published", port)
		}
	}
	for name, service := range p.Services {
		if !strings.Contains(service.Image, ":") || strings.HasSuffix(service.Image, ":latest") {
			t.Errorf("%s: the image %q is not pinned", name, service.Image)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %d is open to others", name, port.Target)
			}
		}
		for _, volume := range service.Volumes {
			if volume.Type != types.VolumeTypeBind {
				continue
			}
			if _, err := os.Stat(volume.Source); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if service.Build != nil {
			if _, err := os.Stat(filepath.Join(service.Build.Context, service.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestDockerfiles: both end in an image with nothing but the programs, that does not run as root, and whose published
// ports reach the web UI.
func TestDockerfiles(t *testing.T) {
	for _, name := range []string{"../../deploy/Dockerfile", "../../packaging/Dockerfile"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			parsed, err := parser.Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			stages, _, err := instructions.Parse(parsed.AST, nil)
			if err != nil {
				t.Fatal(err)
			}
			last := stages[len(stages)-1]
			if last.BaseName != "gcr.io/distroless/static-debian12:nonroot" {
				t.Errorf("the image is from %s", last.BaseName)
			}
			env, got := map[string]string{}, map[string]string{}
			for _, command := range last.Commands {
				switch c := command.(type) {
				case *instructions.UserCommand:
					got["user"] = c.User
				case *instructions.ExposeCommand:
					got["ports"] = strings.Join(c.Ports, " ")
				case *instructions.EntrypointCommand:
					got["entrypoint"] = strings.Join(c.CmdLine, " ")
				case *instructions.CmdCommand:
					got["command"] = strings.Join(c.CmdLine, " ")
				case *instructions.EnvCommand:
					for _, variable := range c.Env {
						env[variable.Key] = variable.Value
					}
				}
			}
			want := map[string]string{
				"user": "65532:65532", "entrypoint": "/usr/bin/otelcol-mcp", "command": "--config embedded:default",
				"ports": "13134 4319 4327 4328 7810 8898 8899",
			}
			if !maps.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
			if env["LISTEN_HOST"] != "0.0.0.0" || env["XDG_STATE_HOME"] != "/var/lib" {
				t.Errorf("environment: %v", env)
			}
		})
	}
}
