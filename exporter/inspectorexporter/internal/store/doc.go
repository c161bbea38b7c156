// Package store keeps the lines of sessions in files, one gzip member after
// another, as the mcp-agent Inspector does: {id}.jsonl.gz, then
// {id}.chunk_1.jsonl.gz and so on when a file is full.
//
// A line is readable as soon as it was appended. It is written within a second
// by [Store.Run], the only place that writes. What waits to be written is bounded:
// if more comes than the disk writes, appending waits. On a disk that refuses or
// hangs, what does not fit is lost and counted. No path leaves the directory: ids are checked, and the
// directory is an [os.Root].
package store
