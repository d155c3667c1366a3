// Release builds the files of a release: for each platform an archive with the programs, the licence, the changelog, the
// notices of third parties and a list of its modules (SPDX), the packages of npm, an archive for clients in other
// languages, and for all of them SHA256SUMS.
//
//	CHANGELOG.md (version), git (commit, date) ─► go build ─► binary ─► archive ─► SHA256SUMS
//	                                                        └─► debug/buildinfo ─► SPDX, notices
//
// The same commit gives the same bytes on every machine with the same version of Go: paths are trimmed, times are the
// commit's, and archives are sorted. With --check the tool builds one platform a second time, in another folder and with
// an empty cache, and fails if a byte differs. Signing and provenance belong to the workflow that publishes the files
// (scripts/package/release.yml).
//
// No maintained tool does this offline in less than its own configuration and a hundred modules: goreleaser needs
// a tag and a remote, syft reads the same build information.
package main
