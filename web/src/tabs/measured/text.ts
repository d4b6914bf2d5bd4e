// Texts of this tab beside those of the page.
import { measured as english } from '../../text/en-measured';
import { withTexts } from '../../text/language.svelte';
import { measured as chinese } from '../../text/zh-measured';

export const t = withTexts(english, chinese);
