// Package mcpserver offers the operations of core to agents over the Model
// Context Protocol.
//
//   - [Server] turns operations into tools and answers calls. It knows neither
//     its transport nor the store: it is given a function that yields a
//     [core.Service] or the error to answer with.
//   - [Lines] is the transport of standard input and output, one message a
//     line. It outlives whatever a client may write.
//
// A call is judged by core on the bytes the client sent, and the answer holds
// the bytes that --json prints, so that both surfaces say the same.
package mcpserver
