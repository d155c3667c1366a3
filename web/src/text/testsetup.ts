// Unit tests have the texts of matches from the start, as a page that shows one.

import { useMatchTexts } from "./text";

await useMatchTexts();
