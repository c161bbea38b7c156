package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/core/api"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai"
	"github.com/openai/openai-go/option"
	"go.opentelemetry.io/otel/sdk/trace"
)

// runGenkit asks an agent, a flow of genkit, for the weather; the tool fails once.
func runGenkit(ctx context.Context, _ *trace.TracerProvider) error {
	url, stop, err := startModel(ctx)
	if err != nil {
		return err
	}
	defer stop()
	plugin := &compat_oai.OpenAICompatible{Provider: "openai", APIKey: "none", BaseURL: url, Opts: []option.RequestOption{option.WithAPIKey("none"), option.WithBaseURL(url)}}
	g := genkit.Init(ctx, genkit.WithPlugins(plugin))
	model := plugin.DefineModel("openai", "gpt-4o", ai.ModelOptions{Label: "gpt-4o", Supports: &ai.ModelSupports{Multiturn: true, Tools: true, SystemRole: true}})
	genkit.RegisterAction(g, model.(api.Action))
	weather := genkit.DefineTool(g, "weather", "The weather in a city", func(_ *ai.ToolContext, in struct {
		City string `json:"city"`
	},
	) (map[string]int, error) {
		if in.City != "Oslo" {
			return nil, errors.New("no such city")
		}
		return map[string]int{"celsius": 21}, nil
	})
	flow := genkit.DefineFlow(g, "weather-agent", func(ctx context.Context, question string) (string, error) {
		answer, err := genkit.Generate(ctx, g, ai.WithModel(model), ai.WithSystem("You are brief."), ai.WithPrompt(question), ai.WithTools(weather))
		if err != nil {
			return "", err
		}
		return answer.Text(), nil
	})
	if _, err = flow.Run(ctx, "How warm is it in Oslo?"); err != nil {
		return err
	}
	// A tool that fails ends genkit's flow: so does this one, and that is recorded too.
	if _, err = flow.Run(ctx, "How warm is it in Oslo and Nowhere?"); err == nil {
		return errors.New("the failing tool did not fail the flow")
	}
	return nil
}

// startModel starts the model server, whose program is in the environment.
func startModel(ctx context.Context) (url string, stop func(), err error) {
	server := exec.CommandContext(ctx, os.Getenv("MODEL_SERVER"))
	in, err := server.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err = server.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("model server: %w", err)
	}
	return strings.TrimSpace(line) + "/v1", func() { _ = in.Close(); _ = server.Wait() }, nil
}
