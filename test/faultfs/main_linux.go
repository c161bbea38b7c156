// Faultfs mounts a folder at another place, where writing fails as a file says:
// a disk that is slow, read-only, full or broken. It runs until it is told to end.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

func main() {
	from := flag.String("from", "", "the folder that has the files")
	at := flag.String("at", "", "where it is mounted")
	mode := flag.String("mode", "", "a file with one of: well, slow, read-only, full, broken")
	flag.Parse()
	if err := run(*from, *at, *mode); err != nil {
		log.Fatal(err)
	}
}

func run(from, at, mode string) error {
	loopback, err := fs.NewLoopbackRoot(from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	root := &node{LoopbackNode: loopback.(*fs.LoopbackNode), mode: mode}
	root.RootData.RootNode = root
	server, err := fs.Mount(at, root, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "faultfs", Name: "faultfs"}})
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	fmt.Println("ready")
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	<-ended
	return server.Unmount()
}

// node is a file or folder; what changes it may fail.
type node struct {
	*fs.LoopbackNode
	mode string
}

var (
	_ fs.NodeWrapChilder = (*node)(nil)
	_ fs.NodeWriter      = (*node)(nil)
	_ fs.NodeFsyncer     = (*node)(nil)
	_ fs.NodeAllocater   = (*node)(nil)
)

// WrapChild implements fs.NodeWrapChilder.
func (n *node) WrapChild(_ context.Context, ops fs.InodeEmbedder) fs.InodeEmbedder {
	return &node{LoopbackNode: ops.(*fs.LoopbackNode), mode: n.mode}
}

// fault is what becomes of a change now.
func (n *node) fault() syscall.Errno {
	text, err := os.ReadFile(n.mode)
	if err != nil {
		return syscall.EIO
	}
	switch strings.TrimSpace(string(text)) {
	case "slow":
		time.Sleep(200 * time.Millisecond)
	case "read-only":
		return syscall.EROFS
	case "full":
		return syscall.ENOSPC
	case "broken":
		return syscall.EIO
	}
	return fs.OK
}

// Write implements fs.NodeWriter.
func (n *node) Write(ctx context.Context, f fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	if errno := n.fault(); errno != fs.OK {
		return 0, errno
	}
	return f.(fs.FileWriter).Write(ctx, data, off)
}

// Fsync implements fs.NodeFsyncer.
func (n *node) Fsync(ctx context.Context, f fs.FileHandle, flags uint32) syscall.Errno {
	if errno := n.fault(); errno != fs.OK {
		return errno
	}
	return f.(fs.FileFsyncer).Fsync(ctx, flags)
}

// Allocate implements fs.NodeAllocater.
func (n *node) Allocate(ctx context.Context, f fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	if errno := n.fault(); errno != fs.OK {
		return errno
	}
	return f.(fs.FileAllocater).Allocate(ctx, off, size, mode)
}

// Setattr implements fs.NodeSetattrer.
func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if errno := n.fault(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Setattr(ctx, f, in, out)
}

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.fault(); errno != fs.OK {
		return nil, nil, 0, errno
	}
	return n.LoopbackNode.Create(ctx, name, flags, mode, out)
}

// Open implements fs.NodeOpener. A file system that is read-only refuses here.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_ACCMODE != syscall.O_RDONLY && n.fault() == syscall.EROFS {
		return nil, 0, syscall.EROFS
	}
	return n.LoopbackNode.Open(ctx, flags)
}
