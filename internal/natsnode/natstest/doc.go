// Package natstest starts journal servers for tests: one, or three and more, all in the
// test's process, on free ports of loopback, with certificates of their own.
//
//	test ──Start(t, servers, nodes)──► Cluster: a natsnode.Node for each name
//
// Only tests use it. Its servers end with the test.
package natstest
