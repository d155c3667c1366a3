// The screens around a match: the first visit to a match needs none of them.

export { homeScreen } from "./home";
export { goneScreen, invitationScreen } from "./invitation";
export { lobbyScreen } from "./lobby";
export { partyInvitationScreen } from "./partyinvitation";
export { quickMatchDialog } from "./quickmatch";
