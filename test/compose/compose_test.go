package compose

import (
	"context"
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

// TestDockerfiles: both end in an image with nothing but the programs, that does not run as root.
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
			if last.BaseName != "scratch" {
				t.Errorf("the image is from %s", last.BaseName)
			}
			user := ""
			for _, command := range last.Commands {
				if c, ok := command.(*instructions.UserCommand); ok {
					user = c.User
				}
			}
			if user != "65532:65532" {
				t.Errorf("it runs as %q", user)
			}
		})
	}
}
