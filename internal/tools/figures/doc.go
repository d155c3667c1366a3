// Command figures takes the measurements whose figures are on the pages, and writes the figures there.
//
//	make figures ──► benches ──► docs/figures.json ──► tables of docs/contributing/performance.md, docs/contributing/vision.md,
//	                                                    docs/contributing/client.md and README.md
//
// Each run is kept with its command, its commit and its time, the machine once. A run on another
// machine marks what other machines measured, and the tables say so. sections.tmpl makes the
// tables from docs/figures.json alone: a test renders them and compares. It exists because a figure that is
// copied by hand is wrong after the next change.
package main
