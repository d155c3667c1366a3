// The screens around a match: the first visit to a match needs no such screen.

export { homeScreen } from "./home";
export { goneScreen, invitationScreen } from "./invitation";
export { lobbyScreen } from "./lobby";
export { partyInvitationScreen } from "./partyinvitation";
export { queuePanel } from "./queuepanel";
export { quickMatchDialog } from "./quickmatch";
export { incidentOf, reportDialog } from "./report";
