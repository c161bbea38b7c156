// Package otlp has what the decoders of agents' own telemetry share: how a log
// record or span is handed to them, what they return, and how attributes are read
// that agents send in more than one type.
package otlp
