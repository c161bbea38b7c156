// Package compose reads deploy/compose and the Dockerfiles with the code that
// docker compose and docker build read them with. It is a module of its own, so
// that none of that becomes part of the collector. No Docker is needed, and none
// of the containers runs.
package compose
