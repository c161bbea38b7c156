// Package figures has what the commands that measure share.
package figures

import (
	"bytes"
	"net"
	"os"
	"slices"
	"strconv"
)

// Median is 0 of no values. It leaves them as they are.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Addresses are free ones of this machine, all different.
func Addresses(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// MiB are fields of the process's status that are in kB, such as VmRSS, in MiB. They
// are 0 where the system does not report them.
func MiB(pid int, fields ...string) []float64 {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	values := make([]float64, len(fields))
	for i, field := range fields {
		_, after, _ := bytes.Cut(status, []byte("\n"+field+":"))
		if words := bytes.Fields(after); len(words) > 0 {
			kib, _ := strconv.ParseFloat(string(words[0]), 64)
			values[i] = kib / 1024
		}
	}
	return values
}
