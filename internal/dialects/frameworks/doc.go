// Package frameworks has the dialects of frameworks that agents are written with, a
// file for each.
package frameworks
