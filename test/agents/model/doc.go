// Package model is a model server for tests: it answers real coding agents with
// what a script says, over the interfaces of Anthropic (Messages), OpenAI
// (Responses and Chat Completions) and Google (Gemini generateContent), and
// records what it gave out. It answers on loopback only.
package model
