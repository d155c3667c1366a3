import { errorText } from "../text/names";
import { useWorkWith } from "../ui/work";

export { ErrorLine } from "../ui/work";

/** Runs a form's work, with errors in the player's language. */
export const useWork = () => useWorkWith(errorText);
