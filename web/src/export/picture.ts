// A part of the page as one SVG: its drawings with their styles written out, its texts where they stand. Needs nothing
// of the page to be shown elsewhere.

const namespace = 'http://www.w3.org/2000/svg';
const drawn = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'fill-opacity', 'opacity', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'visibility', 'paint-order'];
const margin = 16;
const headHeight = 44;

function make(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}

/** A copy that looks the same without the page's style sheet. */
function written(element: Element): Element {
  const copy = element.cloneNode(true) as Element;
  const [originals, copies] = [element, copy].map((root) => [root, ...root.querySelectorAll('*')]);
  originals!.forEach((original, i) => {
    const style = getComputedStyle(original);
    const target = copies![i]!;
    for (const property of drawn) target.setAttribute(property, style.getPropertyValue(property).replace(/url\("[^"#]*(#[^"]+)"\)/, 'url($1)'));
    for (const name of [...target.getAttributeNames()]) if (/^(class|style|on|role|aria-|tabindex|data-)/.test(name)) target.removeAttribute(name);
  });
  return copy;
}

function textsOf(section: Element, place: (rect: DOMRect) => [number, number]): SVGElement[] {
  const texts: SVGElement[] = [];
  const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement!;
    const text = node.textContent!;
    if (!text.trim() || parent.closest('svg, .hidden, option, script, [data-no-picture], [role="group"]') || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(parent);
    const range = document.createRange();
    // A line at a time: characters that share a top.
    let from = 0;
    const topAt = (i: number) => (range.setStart(node!, i), range.setEnd(node!, i + 1), range.getBoundingClientRect());
    const add = (to: number) => {
      if (!text.slice(from, to).trim()) return;
      const part = text.slice(from, to);
      range.setStart(node!, from + part.length - part.trimStart().length);
      range.setEnd(node!, from + part.trimEnd().length);
      const rect = range.getBoundingClientRect();
      const line = part.replace(/\s+/g, ' ').trim();
      if (rect.width === 0) return;
      const [x, y] = place(rect);
      const size = parseFloat(style.fontSize);
      texts.push(make('text', { x, y: y + rect.height / 2 + size * 0.36, fill: style.color, 'font-size': size, 'font-weight': style.fontWeight, 'font-family': style.fontFamily, textLength: rect.width, lengthAdjust: 'spacingAndGlyphs' }, line));
    };
    for (let i = 1, top = topAt(0).top; i < text.length; i++) {
      const rect = topAt(i);
      if (rect.width === 0 || Math.abs(rect.top - top) < 4) continue;
      add(i);
      [from, top] = [i, rect.top];
    }
    add(text.length);
  }
  return texts;
}

export interface Caption {
  scenario: string;
  version: string;
}

export function pictureOf(section: Element, { scenario, version }: Caption): { text: string; width: number; height: number } {
  const box = section.getBoundingClientRect();
  const place = (rect: DOMRect): [number, number] => [rect.left - box.left + margin, rect.top - box.top + margin];
  const width = Math.ceil(box.width) + 2 * margin;
  const height = Math.ceil(box.height) + 2 * margin + headHeight;
  const page = getComputedStyle(document.documentElement);
  const small = { 'font-size': 11, fill: page.getPropertyValue('--ink2'), 'font-family': getComputedStyle(document.body).fontFamily };
  const root = make('svg', { xmlns: namespace, width, height, viewBox: `0 0 ${width} ${height}` });
  root.append(make('rect', { width, height, fill: page.getPropertyValue('--bg') }));
  const patterns = document.querySelector('#hatch-overhead')?.closest('defs');
  if (patterns) root.append(written(patterns));
  for (const drawing of section.querySelectorAll('svg, canvas')) {
    const rect = drawing.getBoundingClientRect();
    if (rect.width === 0 || drawing.parentElement!.closest('svg')) continue;
    const [x, y] = place(rect);
    const at = { x, y, width: rect.width, height: rect.height };
    if (drawing instanceof HTMLCanvasElement) {
      root.append(make('image', { ...at, href: drawing.toDataURL() }));
      continue;
    }
    const copy = written(drawing);
    for (const [name, value] of Object.entries(at)) copy.setAttribute(name, String(value));
    root.append(copy);
  }
  root.append(...textsOf(section, place));
  root.append(make('text', { ...small, x: margin, y: height - 28 }, scenario), make('text', { ...small, x: margin, y: height - 12 }, version));
  return { text: new XMLSerializer().serializeToString(root), width, height };
}

export async function rastered({ text, width, height }: ReturnType<typeof pictureOf>, scale = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width * scale, height * scale];
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
}
