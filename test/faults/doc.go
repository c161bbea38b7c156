// Package faults runs the built collector under faults and measures what it
// holds. Everything is on loopback, bounded in time and size, and ends by itself.
package faults
