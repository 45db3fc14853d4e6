/**
 * The script of the frame that draws diagrams. Runs in a document with an opaque origin and without network, so that a hostile
 * diagram reaches nothing but itself. It gets a source and colours, and answers with the text of an SVG that the page shows as an
 * image.
 */
import mermaid from 'mermaid';
import type { DrawingAnswer, DrawingRequest } from '../src/ui/markdown/diagram/drawing-messages.ts';

let count = 0;

addEventListener('message', ({ source, data, ports: [port] }: MessageEvent<DrawingRequest>) => {
  if (source !== parent || !port) return;
  void draw(data).then((answer) => port.postMessage(answer));
});

async function draw({ source, colors }: DrawingRequest): Promise<DrawingAnswer> {
  const box = document.createElement('div');
  document.body.append(box);
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: 'strict',
      suppressErrorRendering: true,
      maxTextSize: MAX_CHARS,
      // The other layout is left out of this build, so no diagram may ask for it.
      layout: 'dagre',
      secure: [
        'secure',
        'securityLevel',
        'startOnLoad',
        'maxTextSize',
        'maxEdges',
        'suppressErrorRendering',
        'htmlLabels',
        'layout',
      ],
      // Labels of HTML are not drawn in an image.
      htmlLabels: false,
      look: 'classic',
      theme: 'base',
      darkMode: colors.isDark,
      fontFamily: FONT,
      themeVariables: toVariables(colors),
    });
    const { svg } = await mermaid.render(`diagram-${count++}`, source, box);
    return toImage(box, svg);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  } finally {
    box.remove();
  }
}

const MAX_CHARS = 20_000;

/** Fonts of the page are not available in an image. */
const FONT = 'system-ui, "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif';

function toVariables({
  ink,
  soft,
  surface,
  sunken,
  line,
  accent,
  accentSoft,
  warnSoft,
  okSoft,
}: DrawingRequest['colors']) {
  return {
    fontFamily: FONT,
    fontSize: '14px',
    background: surface,
    textColor: ink,
    lineColor: soft,
    primaryColor: accentSoft,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: okSoft,
    secondaryTextColor: ink,
    secondaryBorderColor: line,
    tertiaryColor: sunken,
    tertiaryTextColor: ink,
    tertiaryBorderColor: line,
    noteBkgColor: warnSoft,
    noteTextColor: ink,
    noteBorderColor: line,
    edgeLabelBackground: surface,
    clusterBkg: sunken,
    clusterBorder: line,
    titleColor: ink,
  };
}

/** Well-formed XML with a size of its own, which an image needs. */
function toImage(box: HTMLElement, markup: string): DrawingAnswer {
  box.innerHTML = markup;
  const svg = box.querySelector('svg');
  if (!svg) return { ok: false, message: 'The diagram is empty.' };
  const { width, height } = svg.viewBox.baseVal;
  if (!(width > 0 && height > 0)) return { ok: false, message: 'The diagram is empty.' };
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.style.removeProperty('max-width');
  return { ok: true, svg: new XMLSerializer().serializeToString(svg), width, height };
}
