// Command promql checks files of alerts and the queries of dashboards with the parser of Prometheus. It is in the module of
// the lint tools, so that the server does not depend on Prometheus:
//
//	go -C internal/tools/lint run ./promql ../../../examples/monitoring
package main
