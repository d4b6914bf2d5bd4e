// Texts of this tab beside those of the page.
import { plan as english } from '../../text/en-plan';
import { withTexts } from '../../text/language.svelte';
import { plan as chinese } from '../../text/zh-plan';

export const t = withTexts(english, chinese);
