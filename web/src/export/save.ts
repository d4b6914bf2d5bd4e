// A chart as a file, with the scenario and the version in the picture.
import { modelName, placeName } from '../inputs/catalog-names';
import { result } from '../state/result.svelte';
import { n, t } from '../text/language.svelte';
import { downloadBlob } from '../ui/download';
import { pictureOf, rastered } from './picture';

export const fileName = (ending: string) => `meshgauge-${modelName().toLowerCase().replace(/[^\p{L}\d]+/gu, '-')}${ending}`;
const scenarioLine = () => `${modelName()} · ${n().integer(Number(result.resolved('/cluster/gpus')))} × ${placeName()} · ${location.href.slice(0, 200)}`;

export type PictureKind = 'svg' | 'png';
export async function savePicture(section: Element, part: string, kind: PictureKind): Promise<void> {
  const drawing = pictureOf(section, { scenario: scenarioLine(), version: t('footer.version', { version: __VERSION__ }) });
  downloadBlob(fileName(`-${part}.${kind}`), kind === 'svg' ? new Blob([drawing.text], { type: 'image/svg+xml' }) : await rastered(drawing));
}
