/**
 * A page out of a project made into one that can only be looked at: nothing in it runs, nothing is fetched, nothing leads
 * anywhere. The frame it is shown in forbids all of that as well; here it is taken out so that the browser need not complain.
 * Its styles go, too: the frame inherits the policy of our page, which allows none that are inline.
 */
import { withoutStyles } from './without-styles.ts';

export function toInertHtml(text: string): string {
  const page = new DOMParser().parseFromString(withoutStyles(text), 'text/html');
  for (const element of page.querySelectorAll(REFUSED)) element.remove();
  for (const element of page.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      if (!isHarmless(name.toLowerCase(), value)) element.removeAttribute(name);
    }
  }
  return page.documentElement.outerHTML;
}

const REFUSED =
  'script, noscript, noembed, style, iframe, frame, frameset, object, embed, applet, link, meta, base, template, audio, video, source, track';

function isHarmless(name: string, value: string): boolean {
  if (name.startsWith('on') || REFUSED_ATTRIBUTES.has(name)) return false;
  if (name === 'href' || name === 'xlink:href') return value.startsWith('#');
  if (name === 'src') return /^data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]/i.test(value);
  // As in `fill="url(…)"`.
  return !/url\s*\(\s*['"]?(?!#)/i.test(value);
}

const REFUSED_ATTRIBUTES: ReadonlySet<string> = new Set([
  'style',
  'srcset',
  'srcdoc',
  'background',
  'poster',
  'ping',
  'action',
  'formaction',
  'data',
  'manifest',
  'target',
  'autofocus',
]);
