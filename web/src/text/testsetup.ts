// Unit tests have the texts of matches from the start, as a page that shows one.

import { TEXT_PARTS, useTexts } from "./text";

await useTexts(...TEXT_PARTS);
