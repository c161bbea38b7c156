// Package hook has what the decoders of coding agents' hooks share: the input of
// a hook, and the memory of the events that it is turned into.
//
// Agents took the shape of their hooks from each other: an object with the name
// of the event, the session, and members that depend on the event. The names of
// members differ, but no name means two things, so that all agents have one
// table. What an event means is up to the agent's own package.
package hook
