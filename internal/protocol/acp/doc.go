// Package acp decodes what only the Agent Client Protocol has
// (https://agentclientprotocol.com/protocol/schema): the updates that an agent
// sends while it works on a prompt, and the outcome of its requests for permission.
package acp
