// Package jsoncut shortens JSON text (RFC 8259) so that it stays JSON.
package jsoncut
