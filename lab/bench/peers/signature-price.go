// Prints the CPU time of one RS256 signature of 2,048 bits by this Go, in microseconds.
package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"syscall"
)

func cpuMicroseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano()/1000 + usage.Stime.Nano()/1000
}

func main() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	input := make([]byte, 560)
	const measured = 1000
	var begin int64
	for count := -measured; count < measured; count++ {
		if count == 0 {
			begin = cpuMicroseconds()
		}
		digest := sha256.Sum256(input)
		if _, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:]); err != nil {
			panic(err)
		}
	}
	fmt.Println((cpuMicroseconds() - begin) / measured)
}
