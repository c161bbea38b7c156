package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/otelcol-mcp/otelcol-mcp/cmd/mcptap/internal/hook"
)

// exporting are the flags of export.
type exporting struct {
	webUI             string
	out               string
	html, json, otlp  bool
	noPayloads, force bool
}

func exportCommand() *cobra.Command {
	var o exporting
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Save a session of the web UI as one file",
		Long: `export saves a session that the web UI shows: as a web page with its conversation and
timeline, which opens without a collector or network; as JSON; or as OTLP/JSON, with the
spans that have ended. SESSION is the id in the address of the session's page.

What the collector masks is masked in the file. --no-payloads also leaves out prompts,
answers, arguments, results, titles, error texts and directories.`,
		Example: `  mcptap export 5e1f0b7c-1d2e
  mcptap export 5e1f0b7c-1d2e --no-payloads --output report.html
  mcptap export 5e1f0b7c-1d2e --json --output - | jq .session.usage`,
		Args: exactlyOne("name the session: mcptap export SESSION; its id is in the address of its page",
			"mcptap export saves one SESSION at a time"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return o.sessions(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interrupted()
			defer stop()
			return o.run(ctx, args[0], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.webUI, "web-ui", defaultWebUI, "URL of the collector's web UI")
	f.StringVarP(&o.out, "output", "o", "", "file to write, - for standard output (default: SESSION with the format's extension)")
	f.BoolVar(&o.html, "html", false, "a web page (default)")
	f.BoolVar(&o.json, "json", false, "JSON: the session's row and all its spans")
	f.BoolVar(&o.otlp, "otlp", false, "OTLP/JSON, as the collector's otlpjsonfile receiver reads it")
	f.BoolVar(&o.noPayloads, "no-payloads", false, "leave out prompts, answers, arguments, results and error texts")
	f.BoolVar(&o.force, "force", false, "replace the file if it is there")
	cmd.MarkFlagsMutuallyExclusive("html", "json", "otlp")
	return cmd
}

// format returns the format and the extension of its files.
func (o *exporting) format() (name, extension string) {
	switch {
	case o.json:
		return "json", ".json"
	case o.otlp:
		return "otlp", ".otlp.jsonl"
	}
	return "html", ".html"
}

func (o *exporting) run(ctx context.Context, session string, stdout io.Writer) error {
	format, extension := o.format()
	query := url.Values{"format": {format}, "payloads": {strconv.FormatBool(!o.noPayloads)}}
	path := cmp.Or(o.out, filepath.Base(session)+extension)
	if path != "-" && !o.force {
		if _, err := os.Stat(path); err == nil {
			return fmt.Errorf("%s is there already: --force replaces it, --output names another file", path)
		}
	}
	res, err := o.ask(ctx, "/_inspector/sessions/"+url.PathEscape(session)+"/export?"+query.Encode())
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if path == "-" {
		_, err = io.Copy(stdout, res.Body)
		return err
	}
	size, err := writeWhole(path, res.Body)
	if err == nil {
		fmt.Fprintf(terminal, "mcptap: %s has %d KB\n", path, (size+1023)/1024)
	}
	return err
}

// ask returns the web UI's answer to a request that it accepts.
func (o *exporting) ask(ctx context.Context, path string) (*http.Response, error) {
	base := hook.Base(o.webUI)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("--web-ui: %w", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the web UI does not answer; is the collector running? %w", err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	var why struct {
		Error string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&why); err != nil || why.Error == "" {
		return nil, fmt.Errorf("%s answers %s: it is not a web UI that exports sessions", base, res.Status)
	}
	return nil, fmt.Errorf("%s: the address of a session's page at %s/_inspector/ui has its id", why.Error, base)
}

// writeWhole writes a file that only its user reads, and leaves nothing if it cannot.
func writeWhole(path string, from io.Reader) (size int64, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".mcptap-export-*") // mode 0600
	if err != nil {
		return 0, err
	}
	size, err = io.Copy(f, from)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return size, err
}

// sessions returns the ids of the newest sessions, each with its title, for completions.
func (o *exporting) sessions(ctx context.Context) (ids []string) {
	ctx, cancel := context.WithTimeout(cmp.Or(ctx, context.Background()), time.Second)
	defer cancel()
	res, err := o.ask(ctx, "/_inspector/sessions?limit=50")
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	var page struct {
		Sessions []struct{ ID, Title string } `json:"sessions"`
	}
	_ = json.NewDecoder(res.Body).Decode(&page) // no completions
	for _, s := range page.Sessions {
		ids = append(ids, cobra.CompletionWithDesc(s.ID, s.Title))
	}
	return ids
}
