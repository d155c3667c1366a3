// Package natsnode connects a process to the journal servers of a cluster, and runs one
// inside the process.
//
//	fogkeep cluster init ──Init──► OUT/NAME: node.json, certificates, seal.key
//	                                    │ copied to the machine of NAME
//	OUT/NAME ──Read──► Folder ──Start──► Node ── embedded NATS server (if NAME runs one)
//	                                      │  └── routes to the other journal servers, mutual TLS
//	                                      └── Conn: in the process, or over mutual TLS
//
// A journal server is a NATS server with JetStream. A cluster has one, or three and more:
// with two, the loss of either would stop both. Each message of a journal is on a
// majority of its servers' disks before it is acknowledged.
//
// Only a certificate that the cluster's own authority signed opens a connection, between servers and for clients. Such
// a certificate allows everything: nodes trust each other, and no connection of a player ends here. The authority's key
// stays in the folder that Init wrote; nodes do not have it. The package logs no key and serves no monitoring port.
package natsnode
