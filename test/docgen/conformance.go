package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed rules.yaml
var rulesText []byte

// spec is a specification and what of it a pipeline can honour.
type spec struct {
	Name   string `yaml:"spec"`
	Source string `yaml:"source"`
	Rules  []rule `yaml:"rules"`
}

// rule is a sentence, held by tests or not honoured for a reason.
type rule struct {
	Says string   `yaml:"says"`
	By   []string `yaml:"by"`
	Not  string   `yaml:"not"`
}

// fixtures has a folder for each case that a bare name means.
const fixtures = "testdata/receiver"

const conformanceHead = `[comment]: <> (Written by go run ./test/docgen from rules.yaml beside it. DO NOT EDIT.)

# Conformance

The requirements of five specifications that a telemetry pipeline can meet, and the tests of each. Names without a package are
cases in [testdata/receiver](../testdata/receiver), which TestFixtures and TestFixturesWithRestarts run.
`

// conformance returns docs/conformance.md for the repository at root: sentences of specifications, and the
// tests that hold them. A test that does not exist is an error.
func conformance(root string) (string, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(rulesText))
	decoder.KnownFields(true)
	var specs []spec
	if err := decoder.Decode(&specs); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(conformanceHead)
	var all error
	for _, s := range specs {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Requirement | Tested by |\n| ----------- | --------- |\n", s.Name, s.Source)
		for _, r := range s.Rules {
			text, err := r.held(root)
			all = errors.Join(all, err)
			fmt.Fprintf(&b, "| %s | %s |\n", r.Says, text)
		}
	}
	return b.String(), all
}

// held returns the second column of a rule.
func (r rule) held(root string) (string, error) {
	if (len(r.By) == 0) == (r.Not == "") {
		return "", fmt.Errorf("%q: name tests with by, or a reason with not", r.Says)
	}
	if r.Not != "" {
		return "not: " + r.Not, nil
	}
	var links []string
	for _, by := range r.By {
		link, err := linkTo(root, by)
		if err != nil {
			return "", fmt.Errorf("%q: %w", r.Says, err)
		}
		links = append(links, link)
	}
	return strings.Join(links, ", "), nil
}

// linkTo links to a case, or to the file with a test.
func linkTo(root, by string) (string, error) {
	dir, name, isTest := strings.Cut(by, " ")
	if !isTest {
		path := fixtures + "/" + by
		if _, err := os.Stat(filepath.Join(root, path, "input.yaml")); err != nil {
			return "", fmt.Errorf("there is no case %s", by)
		}
		return fmt.Sprintf("[%s](../%s)", by, path), nil
	}
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		return "", err
	}
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		if declared.Match(text) {
			return fmt.Sprintf("[%s](../%s/%s)", name, dir, filepath.Base(file)), nil
		}
	}
	return "", fmt.Errorf("there is no test %s in %s", name, dir)
}
