// Package report takes players' reports of other players, and appeals against decisions of moderators.
//
//	player ──Report──► open case of (account, match or lobby) ──admin.Session.Decide──► closed
//	account ◄──Notices── mutes and bans of its cases      account ──Appeal, once──► appealed ──Decide──► closed
//
// A client names a match with slot and tick, a lobby with slot or line, or a message. The server takes the chat of a
// report from its own record, as far as the reporter got it, and refuses reporters who were not there. Reports on the
// same account and match are one case; their number decides nothing. A reporter learns that its case was closed, and no
// outcome. All steps are in the audit chain.
//
// lobby/admin lists and decides cases; bans with a scope (model.Ban) are the decisions, and each part of the lobby asks
// admission.Gate.Within.
package report
