package dialect

import (
	"github.com/otelcol-mcp/otelcol-mcp/internal/mcpconv"
)

// Field is a fact that the conventions have an attribute for, or, from [RawKind] on,
// a value of a dialect that becomes one.
type Field uint8

// The facts, in the order in which their attributes are written.
const (
	Operation Field = iota + 1
	Method
	ToolName
	ToolType
	ToolCallID
	ToolDescription
	ToolDefinitions
	ToolArguments
	ToolResult
	AgentName
	AgentDescription
	WorkflowName
	Conversation
	UserID
	Provider
	RequestModel
	ResponseModel
	ResponseID
	FinishReasons
	FirstChunk
	MaxTokens
	Temperature
	TopP
	InputTokens
	OutputTokens
	CacheRead
	CacheWrite
	Reasoning
	Cost
	System
	InputMessages
	OutputMessages
	PromptName
	ResourceURI
	RequestID
	JSONRPCVersion
	StatusCode
	ErrorType
	MCPSession
	ProtocolVersion
	ServerName
	ServerVersion
	ClientName
	ClientVersion
	Transport
	NetworkProtocol
	LogLevel
	LogData
	Progress
	ProgressToken
	ProgressMessage
	RawKind      // what the dialect calls the kind of work
	RawInput     // what went in
	RawOutput    // what came out
	RawParams    // of a request, or a second input
	RawMore      // a second output
	RawID        // another id
	RawFlag      // whether something holds
	statusWord   // mcp.status.code
	errorMessage // mcp.error.message
	errorCode    // mcp.error.code
	Fields       // how many there are
)

// Target is where a fact is written.
type Target struct {
	Key       string // of the semantic conventions
	Inspector string // of the Inspector, if it has another one
	Type      Type
	Payload   bool // written under one of the keys only
}

// Targets are the attributes of all facts, by [Field].
var Targets = [Fields]Target{
	Operation:        {Key: mcpconv.GenAIOperation, Type: Str},
	Method:           {Key: mcpconv.MethodName, Inspector: mcpconv.RPCMethod, Type: Str},
	ToolName:         {Key: mcpconv.GenAIToolName, Inspector: mcpconv.ToolName, Type: Str},
	ToolType:         {Key: mcpconv.GenAIToolType, Type: Str},
	ToolCallID:       {Key: mcpconv.GenAIToolCallID, Inspector: mcpconv.ToolCallID, Type: Str},
	ToolDescription:  {Key: mcpconv.GenAIToolDescription, Type: Str},
	ToolDefinitions:  {Key: mcpconv.GenAIToolDefinitions, Payload: true},
	ToolArguments:    {Key: mcpconv.GenAIToolArguments, Inspector: mcpconv.ToolInput, Payload: true},
	ToolResult:       {Key: mcpconv.GenAIToolResult, Inspector: mcpconv.ToolOutput, Payload: true},
	AgentName:        {Key: mcpconv.GenAIAgentName, Inspector: mcpconv.AgentName, Type: Str},
	AgentDescription: {Key: mcpconv.GenAIAgentAbout, Type: Str},
	WorkflowName:     {Key: mcpconv.GenAIWorkflow, Type: Str},
	Conversation:     {Key: mcpconv.GenAIConversation, Inspector: mcpconv.SessionID, Type: Str},
	UserID:           {Key: mcpconv.UserID, Type: Str},
	Provider:         {Key: mcpconv.GenAIProvider, Inspector: mcpconv.LLMProvider, Type: Str},
	RequestModel:     {Key: mcpconv.GenAIRequestModel, Inspector: mcpconv.LLMModel, Type: Str},
	ResponseModel:    {Key: mcpconv.GenAIResponseModel, Type: Str},
	ResponseID:       {Key: mcpconv.GenAIResponseID, Type: Str},
	FinishReasons:    {Key: mcpconv.GenAIFinishReasons, Type: Strs},
	FirstChunk:       {Key: mcpconv.GenAIFirstChunk, Type: Num},
	MaxTokens:        {Key: mcpconv.GenAIMaxTokens, Type: Integer},
	Temperature:      {Key: mcpconv.GenAITemperature, Type: Num},
	TopP:             {Key: mcpconv.GenAITopP, Type: Num},
	InputTokens:      {Key: mcpconv.GenAIUsageInput, Type: Integer},
	OutputTokens:     {Key: mcpconv.GenAIUsageOutput, Type: Integer},
	CacheRead:        {Key: mcpconv.GenAIUsageCacheRead, Type: Integer},
	CacheWrite:       {Key: mcpconv.GenAIUsageCacheWrite, Type: Integer},
	Reasoning:        {Key: mcpconv.GenAIUsageReasoning, Type: Integer},
	Cost:             {Key: mcpconv.LLMCost, Type: Num},
	System:           {Key: mcpconv.GenAISystem, Inspector: mcpconv.LLMSystemPrompt, Payload: true},
	InputMessages:    {Key: mcpconv.GenAIInputMessages, Inspector: mcpconv.LLMPrompt, Payload: true},
	OutputMessages:   {Key: mcpconv.GenAIOutputMessages, Inspector: mcpconv.LLMResponse, Payload: true},
	PromptName:       {Key: mcpconv.GenAIPromptName, Inspector: mcpconv.PromptTemplate, Type: Str},
	ResourceURI:      {Key: mcpconv.ResourceURI, Type: Str},
	RequestID:        {Key: mcpconv.JSONRPCRequestID, Inspector: mcpconv.RPCID, Type: Str},
	JSONRPCVersion:   {Key: mcpconv.JSONRPCProtocol, Inspector: mcpconv.JSONRPCVersion, Type: Str},
	StatusCode:       {Key: mcpconv.RPCStatusCode, Type: Str},
	ErrorType:        {Key: mcpconv.ErrorType, Type: Str},
	MCPSession:       {Key: mcpconv.MCPSessionID, Type: Str},
	ProtocolVersion:  {Key: mcpconv.ProtocolVersion, Type: Str},
	ServerName:       {Key: mcpconv.ServerName, Type: Str},
	ServerVersion:    {Key: mcpconv.ServerVersion, Type: Str},
	ClientName:       {Key: mcpconv.ClientName, Type: Str},
	ClientVersion:    {Key: mcpconv.ClientVersion, Type: Str},
	Transport:        {Key: mcpconv.NetworkTransport, Type: Str},
	NetworkProtocol:  {Key: mcpconv.NetworkProtocol, Type: Str},
	LogLevel:         {Key: mcpconv.LogLevel, Type: Str},
	LogData:          {Key: mcpconv.LogData, Payload: true},
	Progress:         {Key: mcpconv.Progress, Type: Num},
	ProgressToken:    {Key: mcpconv.ProgressToken, Type: Str},
	ProgressMessage:  {Key: mcpconv.ProgressMessage, Type: Str},
}

// Payload reports whether the fact is what people, models or tools said.
func (f Field) Payload() bool { return Targets[f].Payload || f >= RawInput && f <= RawMore }

// former are the names that the conventions had for a fact before, and what other
// producers of gen_ai.* still write. They are read in every dialect.
var former = []Key{
	{From: "gen_ai.system", To: Provider, As: ReadProvider},
	{From: "gen_ai.usage.prompt_tokens", To: InputTokens},
	{From: "gen_ai.usage.completion_tokens", To: OutputTokens},
	{From: mcpconv.GenAIUsageCacheCreation, To: CacheWrite},
	{From: "gen_ai.usage.cache_creation_input_tokens", To: CacheWrite},
	{From: "gen_ai.usage.cache_read_input_tokens", To: CacheRead},
	{From: "gen_ai.usage.input_tokens.cached", To: CacheRead},
	{From: "gen_ai.usage.reasoning_tokens", To: Reasoning},
	{From: "gen_ai.usage.output_tokens.reasoning", To: Reasoning},
	{From: "gen_ai.tool.call_id", To: ToolCallID},
	{From: "gen_ai.response.finish_reason", To: FinishReasons},
}

// FormerKeys are the former names of the facts.
func FormerKeys() (keys []string) {
	for _, k := range former {
		keys = append(keys, k.From)
	}
	return keys
}
