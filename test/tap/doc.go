// Package tap tests mcptap from outside, between real clients and real servers
// and with a real collector: the bytes that each side writes are those that the
// other side reads, and every call is a correct span.
package tap
