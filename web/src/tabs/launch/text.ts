// Texts of this tab beside those of the page.
import { launch as english } from '../../text/en-launch';
import { withTexts } from '../../text/language.svelte';
import { launch as chinese } from '../../text/zh-launch';

export const t = withTexts(english, chinese);
