// What the core says of logs and fits, in the language of the page.
import { sayer } from '../../text/said';
import { measuredSentences } from '../../text/zh-measured';

export const said = sayer(measuredSentences);
