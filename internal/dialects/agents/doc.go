// Package agents has the dialects of coding agents, a file for each.
package agents
